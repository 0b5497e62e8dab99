import { formatAmount } from '@payouts/payroll';
import Papa from 'papaparse';
import { amountsOf, type Line, type Statement, type Sum } from './statement.ts';

const COLUMNS = {
  totals: [
    'payroll',
    'window',
    'settled_at',
    'promised',
    'paid',
    'token',
    'mint',
    'paid_base_units',
    'entries',
    'paid_entries',
    'held_back',
    'unpaid',
    'settlement',
    'verified',
    'remark',
  ],
  recipients: [
    'payroll',
    'window',
    'settled_at',
    'recipient',
    'entry',
    'state',
    'promised',
    'paid',
    'token',
    'mint',
    'paid_base_units',
    'settlement',
    'verified',
    'remark',
  ],
} as const;

type Cells = Readonly<Record<string, string>>;

/**
 * A statement for a spreadsheet: a line for each figure, then a line `total` for each token. Amounts are tokens, digits with a point; a
 * figure that is not verified has its remark and counts in no total.
 */
export function statementCsv(statement: Statement): string {
  const { kind, payrolls, sums } = statement;
  const rows: Cells[] = payrolls.flatMap(({ lines }) => lines.map((line) => ({ ...cellsOf(line), ...ownCells(line) })));
  for (const sum of sums) rows.push({ payroll: 'total', ...moneyCells(sum, sum), verified: 'yes' });
  // Nothing that begins like a formula is one, whoever chose the token's name.
  return `${Papa.unparse(rows, { columns: [...COLUMNS[kind]], newline: '\n', escapeFormulae: true })}\n`;
}

function cellsOf({ schedule, window, settled, faults }: Line): Cells {
  return {
    payroll: schedule,
    window: window.toString(),
    settled_at: settled === null ? '' : new Date(settled.settledAt).toISOString(),
    settlement: settled?.settlement.signature ?? '',
    verified: faults.length === 0 ? 'yes' : 'no',
    remark: faults.join(' '),
  };
}

function ownCells(line: Line): Cells {
  const { settled, entry } = line;
  if (settled === null) return {};
  const money = moneyCells(amountsOf(line), settled);
  if (entry !== null) {
    return { ...money, recipient: entry.recipient, entry: String(entry.index), state: entry.state ?? '' };
  }
  const { recipients, paidCount, held } = settled;
  return {
    ...money,
    entries: String(recipients),
    paid_entries: String(paidCount),
    held_back: String(held.length),
    unpaid: String(recipients - paidCount - held.length),
  };
}

const moneyCells = (
  { promised, paid }: Pick<Sum, 'promised' | 'paid'>,
  { mint, decimals, symbol }: Pick<Sum, 'mint' | 'decimals' | 'symbol'>,
): Cells => ({
  promised: formatAmount(promised, decimals),
  paid: formatAmount(paid, decimals),
  token: symbol ?? '',
  mint,
  paid_base_units: paid.toString(),
});
