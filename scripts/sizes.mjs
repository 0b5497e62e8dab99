// npm run sizes [-- --against COMMIT]: files and lines of code of each part at HEAD, beside those of another commit. Blank lines, comments
// and generated files don't count. What a comment is TypeScript's own parser says; elsewhere, a line that begins as one.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import { root } from './setup.mjs';

const { values } = parseArgs({ options: { against: { type: 'string' } } });
const CODE = /\.(ts|tsx|mts|mjs|cjs|js|rs|sql|sh|css)$/;
const GENERATED = /(^|\/)(generated|dist)\/|^reports\//;
const COMMENT = { rs: /^\s*\/\//, sql: /^\s*--/, sh: /^\s*#/, css: /^\s*(\/\*|\*)/ };

function git(args, input) {
  const child = spawnSync('git', args, { cwd: root, input, maxBuffer: 1 << 30 });
  if (child.status === 0) return child.stdout;
  console.error(`✖ git ${args.join(' ')}: ${child.stderr.toString().trim()}`);
  return process.exit(1);
}

/** Lines on which something stands that is neither space nor comment. */
function scriptLines(text, name) {
  const source = ts.createSourceFile(name, text, {
    languageVersion: ts.ScriptTarget.Latest,
    jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
  });
  const lines = new Set();
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line;
  const visit = (node) => {
    const children = node.getChildren(source);
    children.forEach(visit);
    const start = node.getStart(source);
    if (children.length > 0 || node.end === start) return;
    for (let line = lineOf(start); line <= lineOf(node.end); line += 1) lines.add(line);
  };
  visit(source);
  const written = text.split('\n');
  return [...lines].filter((line) => written[line]?.trim()).length;
}

function linesOf(path, text) {
  const comment = COMMENT[path.split('.').at(-1)];
  if (comment === undefined) return scriptLines(text, path);
  return text.split('\n').filter((line) => line.trim() !== '' && !comment.test(line)).length;
}

/** Where a file counts: packages/coordinator/src, test/e2e, program, ... */
function partOf(path) {
  const folders = path.split('/').slice(0, -1);
  return folders.slice(0, { packages: 3, test: 2 }[folders[0]] ?? 1).join('/') || '.';
}

/** The contents of blobs by their ids, read by one process of git. */
function* contentsOf(ids) {
  const output = git(['cat-file', '--batch'], ids.map((id) => `${id}\n`).join(''));
  let at = 0;
  for (const _ of ids) {
    const begin = output.indexOf('\n', at) + 1;
    const end = begin + Number(output.toString('utf8', at, begin).split(' ').at(-1));
    yield output.toString('utf8', begin, end);
    at = end + 1;
  }
}

/** Lines of blobs that have been counted: two commits share most of theirs. */
const counted = new Map();

function partsOf(commit) {
  const files = git(['ls-tree', '-r', '-z', commit])
    .toString()
    .split('\0')
    .map((line) => ({ id: line.split(/\s/)[2], path: line.split('\t')[1] ?? '' }))
    .filter(({ path }) => CODE.test(path) && !GENERATED.test(path));
  const fresh = files.filter(({ id }) => !counted.has(id));
  const contents = contentsOf(fresh.map(({ id }) => id));
  for (const { id, path } of fresh) counted.set(id, linesOf(path, contents.next().value));
  const parts = {};
  for (const { id, path } of files) {
    parts[partOf(path)] ??= { files: 0, lines: 0 };
    parts[partOf(path)].files += 1;
    parts[partOf(path)].lines += counted.get(id);
  }
  return parts;
}

const after = partsOf('HEAD');
const before = values.against === undefined ? after : partsOf(values.against);
const none = { files: 0, lines: 0 };
const row = (earlier, now) =>
  values.against === undefined
    ? now
    : {
        files: earlier.files,
        lines: earlier.lines,
        'files now': now.files,
        'lines now': now.lines,
        more: now.lines - earlier.lines,
      };
const sum = (parts) =>
  Object.values(parts).reduce(
    (all, { files, lines }) => ({ files: all.files + files, lines: all.lines + lines }),
    none,
  );
const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
console.table({
  ...Object.fromEntries(names.map((name) => [name, row(before[name] ?? none, after[name] ?? none)])),
  all: row(sum(before), sum(after)),
});
