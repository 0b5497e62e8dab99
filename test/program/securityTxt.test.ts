import { readFileSync } from 'node:fs';
import { ledgerProgramFile } from '@payouts/testing/litesvm/programs';
import { expect, it } from 'vitest';

const MARK = (word: string) => `=======${word} SECURITY.TXT V1=======\0`;

it('is read from the program file as its tools read it', () => {
  const file = readFileSync(ledgerProgramFile);
  const from = file.indexOf(MARK('BEGIN'));
  const to = file.indexOf(MARK('END'));
  expect(from).toBeGreaterThan(0);
  const words = file.toString('utf8', from + MARK('BEGIN').length, to).split('\0');
  expect(words.pop()).toBe('');
  const fields = Object.fromEntries(
    Array.from({ length: words.length / 2 }, (_, place) => [words[2 * place], words[2 * place + 1]]),
  );
  // The four that the format demands, and what they say must be what SECURITY.md says.
  expect(Object.keys(fields)).toEqual(expect.arrayContaining(['name', 'project_url', 'contacts', 'policy']));
  const policy = readFileSync(new URL('../../SECURITY.md', import.meta.url), 'utf8');
  for (const words of ['Report a vulnerability', '90 days at most'])
    for (const text of [policy, Object.values(fields).join(' ')]) expect(text).toContain(words);
});
