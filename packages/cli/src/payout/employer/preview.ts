import {
  type ChangeRow,
  changeRows,
  type Preview,
  previewRows,
  previewSentences,
  type TokenInfo,
} from '@payouts/employer';
import { type ListChanges, type Payroll, problemText, type TakenColumns } from '@payouts/payroll';
import type { Address } from '@solana/kit';
import { columns, dim, wrapped } from '../output.ts';

/** Changes and doubts that are listed one by one. */
const LISTED = 10;
/** Characters of a name that are shown. */
const NAME_LENGTH = 20;

/** A preview for people. Private: it names recipients whose amounts change. */
export function previewLines(
  preview: Preview,
  { names, doubts, columns: taken }: Pick<Payroll, 'names' | 'doubts' | 'columns'>,
  token: TokenInfo,
): string[] {
  const text = columns(previewRows(preview, token), [1]).map((row) => `  ${row}`);
  text.push(...columnLines(taken));
  for (const sentence of previewSentences(preview, token)) text.push('', ...wrapped(sentence));
  const { comparison } = preview;
  if (comparison !== undefined) text.push(...changeLines(comparison.changes, token, names));
  if (doubts.length > 0) {
    text.push('', 'Have a look at:', ...listed(doubts.map((doubt) => `  ${problemText(doubt)}`)));
  }
  return text;
}

/** What columns were taken for, where they are called otherwise. */
function columnLines({ taken }: TakenColumns): string[] {
  const renamed = taken.filter(({ column, header }) => column !== header.toLowerCase());
  if (renamed.length === 0) return [];
  const parts = renamed.map(({ column, header }) => `“${plain(header)}” is the ${column}`);
  return ['', ...wrapped(`Columns: ${parts.join(', ')}.`)];
}

/**
 * Changes one by one, the largest first: who, what, and the amounts before and after; below each the whole address, alone in its line, so
 * that it fits beside any amount and can be compared and copied. Private: it names recipients.
 */
export function changeLines(changes: ListChanges, token: TokenInfo, names: ReadonlyMap<Address, string>): string[] {
  const changed = changeRows(changes, token);
  const isNamed = names.size > 0;
  const rows = changed.slice(0, LISTED).flatMap(({ recipient, what, amounts }: ChangeRow) => {
    const cells = [what, amounts];
    const [first, ...rest] = isNamed ? [plain(names.get(recipient) ?? ''), ...cells] : cells;
    return [[`  ${first}`, ...rest], [`    ${recipient}`]];
  });
  return [...columns(rows, [isNamed ? 2 : 1]), ...andMore(changed)];
}

/** A name on one line, without what a terminal would take for a command; of a long one the beginning. */
function plain(name: string): string {
  const text = name.replaceAll(/\p{C}+/gu, ' ');
  return text.length > NAME_LENGTH ? `${text.slice(0, NAME_LENGTH - 1)}…` : text;
}

function listed(lines: readonly string[]): string[] {
  return [...lines.slice(0, LISTED), ...andMore(lines)];
}

/** Says how many are not listed. */
function andMore({ length }: readonly unknown[]): string[] {
  return length > LISTED ? [dim(`  … and ${length - LISTED} more (--json lists all)`)] : [];
}
