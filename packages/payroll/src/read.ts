import { MAX_LEAVES, MAX_U64, nextTurn } from '@payouts/client/browser';
import type { Address } from '@solana/kit';
import type { TakenColumns } from './columns.ts';
import { doubtsOf } from './doubts.ts';
import { type PayrollLine, unsignableProblem } from './line.ts';
import { openTable } from './open.ts';
import type { ReadPayrollOptions } from './options.ts';
import { PayrollError, type PayrollProblem } from './problems.ts';
import { MOST_PROBLEMS, PayrollReading } from './reading.ts';
import { linesByToken, sumOf } from './tokens.ts';

/** A payroll file whose lines can all be paid. */
export type Payroll = {
  readonly lines: readonly PayrollLine[];
  /** Names of recipients, as the file has them; of those without one, none. */
  readonly names: ReadonlyMap<Address, string>;
  /** What the employer sorts them by, such as their department, in the same way. */
  readonly labels: ReadonlyMap<Address, string>;
  /** Base units; of a file with several tokens, see `tokenParts`. */
  readonly total: bigint;
  /** What its columns were taken for. */
  readonly columns: TakenColumns;
  /** What is not wrong but worth a look, in order of lines. */
  readonly doubts: readonly PayrollProblem[];
};

/**
 * Reads a payroll: a payment file (pain.001), or CSV in UTF-8 or a workbook (.xlsx), whose first row names the columns: of the recipient, the amount and, if wanted, the
 * delivery, the name and the label, in one of many words (`columns.ts`); all others are the employer's own. Names go into the approver's
 * file alone, labels nowhere.
 * Comma, semicolon or tab: what is between the columns' names is the delimiter. Amounts have a decimal point or a decimal comma, all the
 * same one; numbers of a sheet have neither.
 *
 * @throws PayrollError with everything that is wrong, line by line
 */
export async function readPayroll(content: Uint8Array | string, options: ReadPayrollOptions): Promise<Payroll> {
  const table = await openTable(content, { named: Object.values(options.map ?? {}), sheet: options.sheet });
  const reading = new PayrollReading(options, table);
  const { problems, lines } = reading;
  try {
    for (const slice of table.slices) {
      if (!reading.take(slice)) break;
      options.onProgress?.(slice.part);
      await nextTurn();
    }
    reading.finish();
    problems.unshift(...(await reading.wallets.lines()).map(unsignableProblem));
  } finally {
    await reading.wallets.end();
  }
  problems.sort(byLine).splice(MOST_PROBLEMS);
  const parts = linesByToken(lines);
  const sums = [...parts.values()].map(sumOf);
  problems.push(...problemsOfAll(reading, sums, options.maxRecipients ?? MAX_LEAVES));
  if (problems.length > 0 || reading.columns === undefined) throw new PayrollError(problems);
  const doubts = [...(await doubtsOf(parts, lines, reading.names)), ...reading.doubts].sort(byLine);
  const { names, labels, columns } = reading;
  const total = sums.reduce((sum, each) => sum + each, 0n);
  return { lines, names: byRecipient(lines, names), labels: byRecipient(lines, labels), total, columns, doubts };
}

/** Texts of lines by their recipients, without the empty ones. */
function byRecipient(lines: readonly PayrollLine[], texts: readonly string[]): ReadonlyMap<Address, string> {
  const found = new Map<Address, string>();
  for (const [at, { recipient }] of lines.entries()) {
    const text = (texts[at] as string).trim();
    if (text !== '') found.set(recipient, text);
  }
  return found;
}

/** What is about the whole file comes first. */
const byLine = (one: PayrollProblem, other: PayrollProblem) => (one.line ?? 0) - (other.line ?? 0);

/** What is wrong with a payroll as a whole. */
function problemsOfAll(
  { columns, lines, problems }: PayrollReading,
  sums: readonly bigint[],
  maxRecipients: number,
): PayrollProblem[] {
  const found: PayrollProblem[] = [];
  if (columns === undefined || (lines.length === 0 && problems.length === 0)) {
    found.push({ code: 'no-recipients', message: 'The payroll has no recipients: a line for each after the first.' });
  }
  if (lines.length > maxRecipients) {
    const message = `The payroll has ${lines.length} recipients, a schedule takes ${maxRecipients}. Split it into several.`;
    found.push({ code: 'too-many-recipients', message });
  }
  if (sums.some((sum) => sum > MAX_U64)) {
    found.push({ code: 'total-too-large', message: "The payroll's total is larger than a ledger can hold." });
  }
  return found;
}
