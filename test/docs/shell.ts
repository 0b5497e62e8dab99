import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type Ran = { readonly code: number | null; readonly printed: string };

/** How every command asks. */
export const ASKED = 'Continue? [y/N]';
/** Milliseconds that a block may take. */
const PATIENCE_MS = 300_000;

/** A shell that stays where it is and keeps what was set from one block to the next, as a terminal does. */
export class Shell {
  readonly #folder: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #running: ChildProcess[] = [];

  /** @param folder below which its state lies; @param home where it begins; @param env what is set at its start */
  constructor(folder: string, home: string, env: Readonly<Record<string, string>>) {
    this.#folder = mkdtempSync(join(folder, 'shell-'));
    this.#env = env;
    writeFileSync(join(this.#folder, 'state.sh'), `cd ${home}\n`);
  }

  #script(code: string, env: Readonly<Record<string, string>>): string {
    const state = join(this.#folder, 'state.sh');
    const own = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    // Everything set is exported, so that the next block has it, too.
    const keep = `{ export -p; declare -f; echo "cd $PWD"; } > ${state}`;
    return [`source ${state}`, 'set -a', ...own, 'set -euo pipefail', code, keep, ''].join('\n');
  }

  #start(
    code: string,
    env: Readonly<Record<string, string>>,
    answer?: string,
  ): { child: ChildProcess; said: () => string } {
    const file = join(this.#folder, 'block.sh');
    writeFileSync(file, this.#script(code, env));
    // Whoever is asked sits at a terminal, which util-linux's `script` makes.
    const words = answer === undefined ? ['bash', file] : ['script', '-qefc', `bash ${file}`, '/dev/null'];
    const child = spawn(words[0] as string, words.slice(1), {
      env: { ...process.env, ...this.#env },
      stdio: [answer === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      detached: true,
    });
    let printed = '';
    let isAnswered = false;
    for (const output of [child.stdout, child.stderr])
      output?.on('data', (chunk: Buffer) => {
        printed += chunk;
        // Typed when it is asked for, as by a person; earlier it would be echoed elsewhere.
        if (answer !== undefined && !isAnswered && printed.includes(ASKED)) {
          isAnswered = true;
          child.stdin?.end(`${answer}\r`);
        }
      });
    return { child, said: () => printed };
  }

  /** Runs a block to its end; `answer` is what is typed when it asks. */
  async run(code: string, env: Readonly<Record<string, string>> = {}, answer?: string): Promise<Ran> {
    const { child, said } = this.#start(code, env, answer);
    const timer = setTimeout(() => end(child, 'SIGKILL'), PATIENCE_MS);
    const [status] = (await once(child, 'close')) as [number | null];
    clearTimeout(timer);
    return { code: status, printed: said() };
  }

  /** Runs a block whose last command goes on, until it has said a text. Code null: it has, and goes on. */
  async runUntil(code: string, text: string, env: Readonly<Record<string, string>> = {}): Promise<Ran> {
    const { child, said } = this.#start(code, env);
    this.#running.push(child);
    const deadline = Date.now() + PATIENCE_MS;
    while (!said().includes(text) && child.exitCode === null && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return { code: said().includes(text) ? null : (child.exitCode ?? 1), printed: said() };
  }

  /** Ends what goes on. */
  async close(): Promise<void> {
    for (const child of this.#running.splice(0)) {
      if (child.exitCode !== null) continue;
      const gone = once(child, 'close');
      end(child, 'SIGTERM');
      const timer = setTimeout(() => end(child, 'SIGKILL'), 20_000);
      await gone;
      clearTimeout(timer);
    }
  }
}

/** The shell and everything that it has started. */
function end(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
