import type { Result } from './claim.ts';
import type { Measured } from './facts.ts';
import type { Named, Verdict } from './judge.ts';

const HEADS = ['attack', 'looked at', 'says', 'claims', 'right', 'by chance', 'learned'] as const;
/** Columns of numbers. */
const FIRST_NUMBER = 3;

/** Attacks and what they came to, as a table. */
export function tableOf(results: readonly Result[], verdicts: readonly Verdict[]): string {
  const rows = results.flatMap(({ attack, looked }) => {
    const of = verdicts.filter((verdict) => verdict.attack === attack && verdict.claims > 0);
    if (of.length === 0) return [[attack, looked, '', '0', '0', '0', '0']];
    return of.map(({ kind, claims, right, byChance, learned }, place) => [
      ...(place === 0 ? [attack, looked] : ['', '']),
      kind,
      ...[claims, right, byChance.toFixed(1), learned].map(String),
    ]);
  });
  return aligned([[...HEADS], ...rows], FIRST_NUMBER);
}

/** Facts, and how much of each adversaries have learned, as a table; `≠`: not what the page says. */
export function factsTable(by: Readonly<Record<string, readonly Measured[]>>): string {
  const columns = Object.values(by);
  const cell = ({ learned, of, admitted, isAsSaid }: Measured) =>
    `${isAsSaid ? '' : '≠ '}${admitted === 'given' ? 'given' : learned === 0 ? '0' : `${learned} of ${of}`}`;
  const rows = (columns[0] ?? []).map(({ what }, place) => [
    what,
    ...columns.map((facts) => cell(facts[place] as Measured)),
  ]);
  const heads = Object.keys(by).map((name) => name.replace(/^insider-(?=with)|-(observer|analyst|adversary)$/g, ''));
  return aligned([['fact', ...heads], ...rows], 1);
}

/** Rows of which all columns are as wide as their widest cell; from `firstNumber` on they end below each other. */
function aligned(rows: readonly (readonly string[])[], firstNumber: number): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const cells = (row: readonly string[]) =>
    row.map((cell, column) => {
      const width = widths[column] as number;
      return column < firstNumber ? cell.padEnd(width) : cell.padStart(width);
    });
  return rows.map((row) => cells(row).join('  ').trimEnd()).join('\n');
}

/** What is public, and what careless people showed of themselves. */
export function besidesOf(verdicts: readonly Verdict[], named: Named): string[] {
  const careless = verdicts.reduce((sum, verdict) => sum + verdict.careless, 0);
  const open = verdicts.reduce((sum, { isPublic }) => sum + isPublic, 0);
  return [
    `named: ${named.employer} of ${named.entries} entries with their employer, ${named.amount} with their amount as well`,
    'public: vaults, schedules, roots, numbers of recipients, calendars, amounts per execution, what was paid in sum; wallets and amounts',
    '        taken out; recipients whose money is delivered to their own wallet; who pays, where one employer is alone with a token',
    `        (${open} claims about this were not counted)`,
    `careless: ${careless} people took a window's whole amount to one wallet; the amount told what they are paid, not who they are or by whom`,
  ];
}
