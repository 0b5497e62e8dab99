import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const TESTS = ['test', ...readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}/test`)].filter((folder) =>
  existsSync(join(ROOT, folder)),
);
const ADVERSARIES = 'test/program/adversaries';

/** Words in quotation marks that follow one another. */
const QUOTED = `(?:,? (?:of the role, )?"[^"]+")`;
/** A test's file, or the adversaries' attempts, and what is quoted of their names. */
const NAMED = new RegExp(String.raw`(?:\`([\w./-]+\.test\.ts)\`|(?<![:/])(adversaries))(${QUOTED}*)`, 'g');

const sources = new Map(
  TESTS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !/(?:^|\/)(?:dist|node_modules)\//.test(file))
      .map((file) => [join(folder, file), readFileSync(join(ROOT, folder, file), 'utf8')] as const),
  ),
);

/** Paragraphs, items of lists and rows of tables, each in one line. */
const units = readFileSync(join(ROOT, 'docs/internals/threat-model.md'), 'utf8')
  .split(/\n\n|\n(?=[-|] ?)/)
  .map((unit) => unit.replaceAll(/\s+/g, ' '));

/** What a unit names that is not there. */
function missingIn(unit: string): string[] {
  return [...unit.matchAll(NAMED)].flatMap(([, file, , quoted = '']) => {
    const named = [...sources].filter(([path]) =>
      file === undefined ? path.startsWith(ADVERSARIES) : `/${path}`.endsWith(`/${file}`),
    );
    if (named.length === 0) return [file ?? ADVERSARIES];
    const words = [...quoted.matchAll(/"([^"]+)"/g)].map(([, each]) => each as string);
    return words.filter((each) => !named.some(([, text]) => text.replaceAll(/\s+/g, ' ').includes(each)));
  });
}

const claims = units.filter((unit) => /\bcan(?:'t|not)\b/.test(unit.replaceAll(/"[^"]*"/g, '')));

it('says of nobody that they can’t do something without the test that shows it', () => {
  expect(claims.length).toBeGreaterThan(5);
  expect(claims.filter((unit) => unit.match(NAMED) === null)).toEqual([]);
});

it('names no test that is not there', () => {
  expect(units.flatMap(missingIn)).toEqual([]);
});
