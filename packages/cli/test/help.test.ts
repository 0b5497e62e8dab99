import { randomUUID } from 'node:crypto';
import { addressFromBytes } from '@payouts/client';
import type { Command } from 'commander';
import { expect, it } from 'vitest';
import { payoutProgram } from '../src/payout/program.ts';

const ADDRESS = addressFromBytes(new Uint8Array(32).fill(7));
/** What capitals in an example stand for. */
const OWN: readonly (readonly [RegExp, string])[] = [
  [/\b(MINT|SCHEDULE|WALLET|BALANCE|VAULT|MULTISIG)\b/g, ADDRESS],
  [/\bHEX\b/g, '07'.repeat(16)],
  [/\bID\b/g, randomUUID()],
];

/** Commands that do something, with their words. */
function leaves(command: Command, words: readonly string[] = []): [string, Command][] {
  const inner = command.commands;
  return inner.length === 0
    ? [[words.join(' '), command]]
    : inner.flatMap((each) => leaves(each, [...words, each.name()]));
}

/** A command's help as it is printed, with what stands behind it. */
function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 80 });
  command.outputHelp();
  return text;
}

const examplesOf = (help: string): string[] =>
  (help.split('\nExamples:\n')[1] ?? '').split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));

it('every command’s help has two or three examples, which the command takes as they are', async () => {
  const program = payoutProgram();
  const asked: string[] = [];
  for (const [name, command] of leaves(program)) command.action(() => void asked.push(name));
  for (const [words, leaf] of leaves(program)) {
    const examples = examplesOf(helpOf(leaf));
    expect(examples.length, words).toBeGreaterThanOrEqual(2);
    expect(examples.length, words).toBeLessThanOrEqual(3);
    for (const example of examples) {
      const written = /payout [^)>"]*/.exec(example)?.[0].trim() ?? '';
      expect(written.startsWith(`payout ${words}`), example).toBe(true);
      const line = OWN.reduce((text, [capitals, value]) => text.replaceAll(capitals, value), written);
      await program.parseAsync(line.split(' ').slice(1), { from: 'user' });
      expect(asked.splice(0), example).toEqual([words]);
    }
  }
});

it('the help of all names each command in a group, and of no group more than ten', () => {
  const help = helpOf(payoutProgram());
  const groups = help.split('\n\n').filter((part) => /^(For|If|This) /.test(part));
  expect(groups.length).toBeGreaterThan(5);
  const named = groups.flatMap((group) => group.split('\n').flatMap((line) => /^ {2}([a-z-]+)/.exec(line)?.[1] ?? []));
  expect(named.toSorted()).toEqual(
    payoutProgram()
      .commands.map((each) => each.name())
      .toSorted(),
  );
  for (const group of groups) expect(group.split('\n').length).toBeLessThan(20);
});
