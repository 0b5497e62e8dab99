import {
  changeRow,
  changesInOrder,
  type Preview,
  plainName,
  previewRows,
  previewSentences,
  type TokenInfo,
} from '@payouts/employer';
import { type ListChanges, type Payroll, problemText } from '@payouts/payroll';
import type { Address } from '@solana/kit';
import { columns, dim, wrapped } from '../output.ts';

/** Changes and doubts that are listed one by one. */
const LISTED = 10;

/** A preview for people. Private: it names recipients whose amounts change. */
export function previewLines(
  preview: Preview,
  { names, doubts }: Pick<Payroll, 'names' | 'doubts'>,
  token: TokenInfo,
): string[] {
  const text = columns(previewRows(preview, token), [1]).map((row) => `  ${row}`);
  for (const sentence of previewSentences(preview, token)) text.push('', ...wrapped(sentence));
  const { comparison } = preview;
  if (comparison !== undefined) text.push(...changeLines(comparison.changes, token, names));
  if (doubts.length > 0) {
    text.push('', 'Have a look at:', ...listed(doubts.map((doubt) => `  ${problemText(doubt)}`)));
  }
  return text;
}

/**
 * Changes one by one, the largest first: who, what, and the amounts before and after; below each the whole address, alone in its line, so
 * that it fits beside any amount and can be compared and copied. Private: it names recipients.
 */
export function changeLines(changes: ListChanges, token: TokenInfo, names: ReadonlyMap<Address, string>): string[] {
  const changed = changesInOrder(changes);
  const isNamed = names.size > 0;
  const rows = changed.slice(0, LISTED).flatMap((change) => {
    const { recipient, what, amounts } = changeRow(change, token);
    const cells = [what, amounts];
    const [first, ...rest] = isNamed ? [plainName(names.get(recipient) ?? ''), ...cells] : cells;
    return [[`  ${first}`, ...rest], [`    ${recipient}`]];
  });
  return [...columns(rows, [isNamed ? 2 : 1]), ...andMore(changed)];
}

function listed(lines: readonly string[]): string[] {
  return [...lines.slice(0, LISTED), ...andMore(lines)];
}

/** Says how many are not listed. */
function andMore({ length }: readonly unknown[]): string[] {
  return length > LISTED ? [dim(`  … and ${length - LISTED} more (--json lists all)`)] : [];
}
