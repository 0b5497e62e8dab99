import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const LIST = 'docs/reference/words.md';
/** What people read: documents, and texts in what they run. The client's reference is made of docstrings. */
const READ = /^[^/]+\.md$|^(docs|deploy)\/.*\.(md|ya?ml|json)$|^packages\/[^/]+\/src\/.*\.tsx?$|^scripts\//;
const NOT_READ = /^PROMISES|reference\/(words|client)\.md|openapi\.json|^packages\/testing\/|\/generated\//;

type Line = { readonly line: number; readonly text: string };

/** The right column of the list's last table. */
function unwanted(list: string): string[] {
  const rows = list.slice(list.indexOf("| don't say |")).split('\n').slice(2);
  return rows
    .flatMap((row) => row.split('|')[2]?.split(', ') ?? [])
    .map((words) => words.trim())
    .filter((words) => words !== '');
}

/** Prose, and what blocks show; code within a line is written as programs want it. */
const linesOfDocument = (text: string): Line[] =>
  text
    .split('\n')
    .map((line, index) => ({ line: index + 1, text: line.replaceAll(/`[^`]*`/g, '').replaceAll(/\]\([^)]*\)/g, ']') }));

/** Texts of a program: what stands between tags, and strings with a space. */
function linesOfProgram(path: string, text: string): Line[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const found: Line[] = [];
  const visit = (node: ts.Node): void => {
    // Queries are the database's.
    if (ts.isTaggedTemplateExpression(node)) return;
    const isText =
      ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node);
    if (ts.isJsxText(node) || (isText && node.text.includes(' '))) {
      const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
      found.push({ line, text: node.text.replaceAll(/\s+/g, ' ') });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Where a file says what the list doesn't want. */
function saidIn(path: string, text: string, words: readonly string[]): string[] {
  const lines = /\.(tsx?|mjs)$/.test(path) ? linesOfProgram(path, text) : linesOfDocument(text);
  const pattern = new RegExp(
    `(?<![\\w-])(${words.map((each) => each.replaceAll(/[?]/g, '\\?')).join('|')})(?![\\w-])`,
    'gi',
  );
  return lines.flatMap(({ line, text }) => [...text.matchAll(pattern)].map(([word]) => `${path}:${line}: ${word}`));
}

const words = unwanted(readFileSync(join(ROOT, LIST), 'utf8'));

it('everything that people read keeps to the list of words', () => {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '--deduplicate'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => READ.test(path) && !NOT_READ.test(path) && existsSync(join(ROOT, path)));
  expect(words.length).toBeGreaterThan(20);
  expect(files.flatMap((path) => saidIn(path, readFileSync(join(ROOT, path), 'utf8'), words))).toEqual([]);
});

it('finds them between tags, in texts and in prose, and not in code', () => {
  const list = ['mend', 'go on?'];
  expect(
    saidIn('a.tsx', "const a = <p>Mend it.</p>; const mend = 'Go on? [y/N]'; sql`mend it`; use('mend');", list),
  ).toEqual(['a.tsx:1: Mend', 'a.tsx:1: Go on?']);
  expect(saidIn('a.md', 'We\nmend `mend` [it](mend.md), a-mend', list)).toEqual(['a.md:2: mend']);
});
