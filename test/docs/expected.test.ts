import { expect, it } from 'vitest';
import { patternOf } from './expected.ts';
import { blocksOf, exchangesOf } from './markdown.ts';

const SIGNED = '5zZRrCtvBK7hKxznQdVzxPH6vjGyTtxQeP8u9SNLT28TtUwZsifpHfdbE987ufveUMiAed8VoDtdhVDCtwTTwYsE';

it('takes other addresses, dates and shortened words, and no other words', () => {
  const pattern = patternOf(`paid 5 in 788v…eaki on 22 November 2026\n  ${SIGNED}`, false);
  expect(pattern.test(`paid 5 in Ab…z on 1 May 2031\n  ${SIGNED.replaceAll('5', '7')}\n`)).toBe(true);
  expect(pattern.test(`paid 6 in Ab…z on 1 May 2031\n  ${SIGNED}\n`)).toBe(false);
  expect(pattern.test(`owed 5 in Ab…z on 1 May 2031\n  ${SIGNED}\n`)).toBe(false);
  expect(pattern.test(`paid 5 in Ab…z on 1 May 2031\n`)).toBe(false);
});

it('takes other numbers where the page says so', () => {
  expect(patternOf('covers 1,200.50 windows', true).test('covers 7 windows')).toBe(true);
  expect(patternOf('covers 1,200.50 windows', true).test('covers no windows')).toBe(false);
});

it('takes any lines, or none, where the page leaves some out', () => {
  const pattern = patternOf('one\n…\nfour', false);
  for (const printed of ['one\nfour', 'one\ntwo\n\nthree\nfour\n']) expect(pattern.test(printed)).toBe(true);
  for (const printed of ['one', 'one\ntwo', 'two\nfour']) expect(pattern.test(printed)).toBe(false);
});

it('finds blocks and their notes, and refuses what it would pass over', () => {
  const page =
    '<!-- block: as recipient; numbers vary -->\n```console\n$ a \\\n  b\nsaid\n$ c\n```\n\n  ```sh\n  ls\n  ```\n';
  const [first, second] = blocksOf('page', page);
  expect(first?.notes.map(({ kind }) => kind)).toEqual(['as', 'numbers vary']);
  expect(exchangesOf(first?.code ?? '')).toEqual([
    { command: 'a \\\n  b', printed: 'said' },
    { command: 'c', printed: '' },
  ]);
  expect(second).toMatchObject({ language: 'sh', code: 'ls', line: 9, notes: [] });
  expect(() => blocksOf('page', '```bash\nls\n```')).toThrow('name its language sh or console');
  expect(() => blocksOf('page', '<!-- block: not run: why -->\n\n```sh\nls\n```')).toThrow('stands above no block');
  expect(() => blocksOf('page', '<!-- block: skip -->\n```sh\nls\n```')).toThrow('"skip" is no note');
});
