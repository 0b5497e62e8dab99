import { createHash } from 'node:crypto';
import type { Command } from 'commander';

/** Options that say how a command speaks and to whom, not what it does. */
const HOW: readonly string[] = [
  'json',
  'yes',
  'dryRun',
  'rpc',
  'api',
  'priorityFee',
  'maxPriorityFee',
  'commitment',
  'time',
  'line',
];

const namesOf = (command: Command): string[] =>
  command.parent === null ? [] : [...namesOf(command.parent), command.name()];

/** A hash of what a command's words have it do: the same for the same command given again. */
export function commandLine(command: Command): string {
  const options = Object.entries(command.opts() as Record<string, unknown>)
    .filter(([name]) => !HOW.includes(name))
    .map(([name, value]) => [name, String(value)])
    .sort();
  // An operand that is left out is a default of its own.
  const left = command.registeredArguments.slice(command.args.length).map(({ defaultValue }) => defaultValue ?? null);
  const words = JSON.stringify([namesOf(command), [...command.args, ...left], options]);
  return createHash('sha256').update(words).digest('hex');
}
