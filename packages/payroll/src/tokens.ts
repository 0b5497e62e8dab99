import type { Address } from '@solana/kit';
import type { TakenColumns } from './columns.ts';
import type { PayrollLine } from './line.ts';

/** What a payroll pays in one token. */
export type TokenPart = WholePayroll & {
  readonly token: Address;
  /** Base units. */
  readonly total: bigint;
};

/** Lines, with what the file calls their recipients and what its columns were taken for. */
type WholePayroll = {
  readonly lines: readonly PayrollLine[];
  readonly names: ReadonlyMap<Address, string>;
  readonly columns: TakenColumns;
};

/** A payroll token by token, in order of their first lines. Each line is in exactly one part. */
export function tokenParts({ lines, names, columns }: WholePayroll): TokenPart[] {
  return [...linesByToken(lines)].map(([token, own]) => ({
    token: token as Address,
    lines: own,
    names: new Map(
      own.flatMap(({ recipient }) => (names.has(recipient) ? [[recipient, names.get(recipient) as string]] : [])),
    ),
    total: sumOf(own),
    columns,
  }));
}

/** Lines by their token, in order; undefined: the file has one. */
export function linesByToken(lines: readonly PayrollLine[]): ReadonlyMap<Address | undefined, readonly PayrollLine[]> {
  const found = new Map<Address | undefined, PayrollLine[]>();
  for (const line of lines) {
    const known = found.get(line.token);
    if (known === undefined) found.set(line.token, [line]);
    else known.push(line);
  }
  return found;
}

/** What lines of one token pay together. */
export const sumOf = (lines: readonly Pick<PayrollLine, 'amount'>[]): bigint =>
  lines.reduce((sum, { amount }) => sum + amount, 0n);
