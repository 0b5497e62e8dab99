import {
  changeRow,
  changesInOrder,
  conversionSentences,
  conversionsOf,
  conversionText,
  type Preview,
  plainName,
  previewRows,
  previewSentences,
  type TokenInfo,
} from '@payouts/employer';
import { type ListChanges, type PaidLine, type Payroll, type PayrollProblem, problemText } from '@payouts/payroll';
import type { Address } from '@solana/kit';
import { columns, dim, marked, wrapped } from '../output.ts';

/** Changes and doubts that are listed one by one. */
const LISTED = 10;

/** A preview for people. Private: it names recipients whose amounts change. */
export function previewLines(
  preview: Preview,
  { names, lines }: Pick<Payroll, 'names'> & { readonly lines: readonly PaidLine[] },
  token: TokenInfo,
): string[] {
  const text = columns(previewRows(preview, token), [1]).map((row) => `  ${row}`);
  for (const sentence of previewSentences(preview, token)) text.push('', ...wrapped(sentence));
  const { comparison } = preview;
  if (comparison !== undefined) text.push(...changeLines(comparison.changes, token, names));
  return [...text, ...conversionLines(lines, names, token)];
}

/** What is worth a look in a payroll, if anything is. */
export function doubtLines(doubts: readonly PayrollProblem[]): string[] {
  if (doubts.length === 0) return [];
  const listed = doubts.slice(0, LISTED).flatMap((doubt) => marked(' ', problemText(doubt)).split('\n'));
  return ['', 'Have a look at:', ...listed, ...andMore(doubts)];
}

/** What is converted from a currency: rates and sums, then amounts one by one. Private: it names recipients. */
export function conversionLines(lines: readonly PaidLine[], names: Payroll['names'], token: TokenInfo): string[] {
  const text = conversionSentences(lines, token).flatMap((sentence) => ['', ...wrapped(sentence)]);
  const converted = conversionsOf(lines).flatMap((each) => each.lines);
  const rows = converted.slice(0, LISTED).flatMap((line) => {
    const name = names.get(line.recipient);
    const who = name === undefined ? '' : `${plainName(name)}  `;
    return [`  ${who}${conversionText(line, token)}`, `    ${line.recipient}`];
  });
  return [...text, ...rows, ...andMore(converted)];
}

/**
 * Changes one by one, the largest first: who, what, and the amounts before and after; below each the whole address, alone in its line, so
 * that it fits beside any amount and can be compared and copied. Private: it names recipients.
 */
export function changeLines(changes: ListChanges, token: TokenInfo, names: ReadonlyMap<Address, string>): string[] {
  const changed = changesInOrder(changes);
  const isNamed = names.size > 0;
  const rows = changed.slice(0, LISTED).flatMap((change) => {
    const { recipient, from, what, amounts } = changeRow(change, token);
    const cells = [what, amounts];
    const [first, ...rest] = isNamed ? [plainName(names.get(recipient) ?? ''), ...cells] : cells;
    const where = from === undefined ? [[recipient]] : [[`from ${from}`], [`to   ${recipient}`]];
    return [[`  ${first}`, ...rest], ...where.map(([line]) => [`    ${line}`])];
  });
  return [...columns(rows, [isNamed ? 2 : 1]), ...andMore(changed)];
}

/** Says how many are not listed. */
function andMore({ length }: readonly unknown[]): string[] {
  return length > LISTED ? [dim(`  … and ${length - LISTED} more (--json lists all)`)] : [];
}
