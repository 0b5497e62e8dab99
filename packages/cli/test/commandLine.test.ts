import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { commandLine, wordsOf } from '../src/payout/commandLine.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'payouts-line-'));
  write('payroll.csv', 'one');
  write('key.json', 'a key');
});
afterEach(() => rmSync(folder, { recursive: true }));

const file = (name: string) => join(folder, name);
const write = (name: string, content: string) => writeFileSync(file(name), content);

/** The line of a command that changes a schedule; its key is where no word says. */
function line(...words: readonly string[]): Promise<string> {
  const update = new Command('update').argument('<payroll>').option('--proposal <file>').option('--list <file>');
  update.parse([file('payroll.csv'), ...words], { from: 'user' });
  return commandLine(update, file('key.json'));
}

it('is the same for the same command, though it has written a file by now', async () => {
  const before = await line('--proposal', file('for-the-approver.json'));
  write('for-the-approver.json', 'whom it pays');
  expect(await line('--proposal', file('for-the-approver.json'))).toBe(before);
});

it.each(['payroll.csv', 'list.json', 'key.json'])(
  'has the same words and is another one if %s has changed',
  async (name) => {
    write('list.json', 'one');
    const before = await line('--list', file('list.json'));
    write(name, 'another');
    const after = await line('--list', file('list.json'));
    expect(after).not.toBe(before);
    expect(wordsOf(after)).toBe(wordsOf(before));
  },
);

it('has other words for another file of the same content', async () => {
  write('list.json', 'one');
  write('other.json', 'one');
  expect(wordsOf(await line('--list', file('list.json')))).not.toBe(wordsOf(await line('--list', file('other.json'))));
});
