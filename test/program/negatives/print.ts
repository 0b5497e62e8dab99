import { RIGHT_CALLS } from './exemptions.ts';
import { KINDS, REASONS, type Reason } from './kinds.ts';
import type { Cell, Row } from './matrix.ts';

/** How many wrong calls were made, and those that were accepted. */
export function countOf(rows: readonly Row[]): { tried: number; accepted: string[] } {
  let tried = 0;
  const accepted: string[] = [];
  for (const { instruction, account, cells } of rows) {
    for (const [place, cell] of cells.entries()) {
      tried += cell.refused + cell.accepted.length;
      accepted.push(...cell.accepted.map((each) => `${instruction}.${account}, ${KINDS[place]?.name}: ${each}`));
    }
  }
  return { tried, accepted };
}

/** The matrix as text: ✓ refused, with how many calls if more than one; ✗ accepted; – does not apply, with the reason's letter. */
export function print(rows: readonly Row[]): string {
  const head = ['instruction.account', ...KINDS.map(({ name }) => name)];
  const body = rows.map(({ instruction, account, cells }) => [`${instruction}.${account}`, ...cells.map(text)]);
  const widths = head.map((_, column) => Math.max(...[head, ...body].map((line) => line[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  const legend = Object.entries(REASONS).map(([letter, sentence]) => `– ${letter}: ${sentence}`);
  return [
    line(head),
    ...body.map(line),
    '',
    '✓ n: refused by an error, n calls, and nothing changed',
    ...legend,
    `left out, because they make other right calls: ${[...RIGHT_CALLS].join(', ')}`,
  ].join('\n');
}

function text({ reason, refused, accepted }: Cell): string {
  if (reason !== undefined) return `– ${reason satisfies Reason}`;
  if (accepted.length > 0) return `✗ ${accepted.length}`;
  return refused === 1 ? '✓' : `✓ ${refused}`;
}
