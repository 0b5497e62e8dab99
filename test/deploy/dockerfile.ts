import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob, relative } from 'node:path';

/** An instruction of a Dockerfile and what stands behind it. */
type Instruction = { readonly name: string; readonly rest: string };

/** A stage's folder, standing for its file system, and what the last stage says of itself. */
export type Built = {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly user: string;
};

/** The instructions of a Dockerfile, with lines that go on joined and comments left out. */
function instructionsOf(text: string): Instruction[] {
  return text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', rest = ''] = /^([A-Z]+) +(.*)$/.exec(line.trim()) ?? [];
      return { name, rest: rest.trim() };
    });
}

/** Whether the context has a path, by the lines of a .dockerignore: the last one that fits decides. */
function isInContext(path: string, ignore: readonly string[]): boolean {
  let isIn = true;
  for (const line of ignore) {
    const [pattern, keeps] = line.startsWith('!') ? [line.slice(1), true] : [line, false];
    const parents = path.split('/').map((_, at, parts) => parts.slice(0, at + 1).join('/'));
    if (parents.some((parent) => matchesGlob(parent, pattern))) isIn = keeps;
  }
  return isIn;
}

/**
 * Does what a Dockerfile says in empty folders of this machine: each stage's folder is its root, and commands run in its working folder with
 * this machine's programs. Throws on an instruction that it doesn't know, or when one fails.
 */
export function replay(context: string, file: string, folder: string): Built {
  const ignore = readFileSync(`${file}.dockerignore`, 'utf8').split('\n').filter(Boolean);
  const stages = new Map<string, string>();
  let [root, workdir, user] = ['', '/', 'root'];
  let env: Record<string, string> = {};
  let entrypoint: string[] = [];
  for (const { name, rest } of instructionsOf(readFileSync(file, 'utf8'))) {
    if (name === 'FROM') {
      root = join(folder, String(stages.size));
      stages.set(/ AS (\w+)$/.exec(rest)?.[1] ?? '', root);
      [workdir, env, user] = ['/', {}, 'root'];
      mkdirSync(root, { recursive: true });
    } else if (name === 'WORKDIR') {
      workdir = rest;
      mkdirSync(join(root, workdir), { recursive: true });
    } else if (name === 'COPY') {
      const [, stage, words = ''] = /^(?:--from=(\w+) +)?(.*)$/.exec(rest) ?? [];
      const sources = words.split(/ +/);
      const target = sources.pop() ?? '';
      for (const source of sources) {
        const from = stage === undefined ? join(context, source) : join(stages.get(stage) ?? '', source);
        // A folder's contents are copied; a file goes into a target that ends with a slash.
        const isFile = /\.\w+$/.test(source);
        const to = join(root, workdir, target, isFile ? relative(dirname(from), from) : '');
        const filter = (path: string) => path === from || isInContext(relative(context, path), ignore);
        cpSync(from, to, { recursive: true, verbatimSymlinks: true, ...(stage === undefined ? { filter } : {}) });
      }
    } else if (name === 'RUN') {
      execFileSync('sh', ['-c', rest], { cwd: join(root, workdir), env: { ...process.env, ...env }, stdio: 'pipe' });
    } else if (name === 'ENV') {
      for (const [, variable = '', value = ''] of rest.matchAll(/(\w+)=(\S+)/g)) env[variable] = value;
    } else if (name === 'USER') user = rest;
    else if (name === 'ENTRYPOINT') entrypoint = JSON.parse(rest) as string[];
    else if (!['ARG', 'EXPOSE', 'HEALTHCHECK', 'CMD'].includes(name)) throw new Error(`${name} is not known here.`);
  }
  return { folder: join(root, workdir), env, entrypoint, user };
}
