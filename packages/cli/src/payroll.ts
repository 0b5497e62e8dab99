import { readFile, writeFile } from 'node:fs/promises';
import { type Address, isAddress } from '@solana/kit';
import { CsvError, parse } from 'csv-parse/sync';

/** One line of a payroll: who is paid and how much, in base units of the token. */
export interface Payee {
  readonly recipient: Address;
  readonly amount: bigint;
}

/** A payroll file that can't be used. The message names the line and never an address or an amount. */
export class PayrollError extends Error {
  override readonly name = 'PayrollError';
}

/**
 * Base units of a decimal amount as people write it, e.g. "1250.5" with 6 decimals: 1250500000.
 *
 * @throws PayrollError when it isn't a positive decimal number or has more digits than the token.
 */
export function parseAmount(text: string, decimals: number, line: number): bigint {
  const parts = /^(\d+)(?:\.(\d+))?$/.exec(text.trim());
  if (parts === null) throw new PayrollError(`Line ${line}: the amount is not a decimal number such as 1250.50.`);
  const fraction = parts[2] ?? '';
  if (fraction.length > decimals) {
    throw new PayrollError(
      `Line ${line}: the amount has more than ${decimals} decimals, which the token can't express.`,
    );
  }
  const amount = BigInt((parts[1] ?? '') + fraction.padEnd(decimals, '0'));
  if (amount === 0n) throw new PayrollError(`Line ${line}: the amount is zero.`);
  if (amount >= 2n ** 64n) throw new PayrollError(`Line ${line}: the amount is larger than a ledger can hold.`);
  return amount;
}

/**
 * Reads a payroll: CSV with a header line that names the columns `recipient` and `amount`.
 *
 * @param decimals decimals of the token; amounts in the file are whole tokens
 * @throws PayrollError naming the first line that can't be used
 */
export async function readPayroll(file: string, decimals: number): Promise<Payee[]> {
  let rows: { info: { lines: number }; record: Record<string, string> }[];
  try {
    rows = parse(await readFile(file, 'utf8'), {
      columns: true,
      bom: true,
      trim: true,
      skip_empty_lines: true,
      info: true,
    });
  } catch (error) {
    if (error instanceof CsvError)
      throw new PayrollError(`The payroll is not valid CSV: ${error.code} in line ${error.lines}.`);
    throw error;
  }
  if (rows.length === 0) throw new PayrollError('The payroll has no recipients.');
  return rows.map(({ info, record }) => {
    const { recipient, amount } = record;
    if (recipient === undefined || amount === undefined) {
      throw new PayrollError('The first line must name the columns recipient and amount.');
    }
    if (!isAddress(recipient)) throw new PayrollError(`Line ${info.lines}: the recipient is not a Solana address.`);
    return { recipient, amount: parseAmount(amount, decimals, info.lines) };
  });
}

/** Writes a payroll as `readPayroll` reads it; readable by its owner alone. */
export async function writePayroll(file: string, payees: readonly Payee[], decimals: number): Promise<void> {
  const lines = payees.map(({ recipient, amount }) => `${recipient},${formatAmount(amount, decimals)}`);
  await writeFile(file, `${['recipient,amount', ...lines].join('\n')}\n`, { mode: 0o600 });
}

/** A base-unit amount in whole tokens: 1250500000 with 6 decimals is "1250.5". */
export function formatAmount(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** The same, grouped for reading: "1,250.5". */
export function displayAmount(amount: bigint, decimals: number): string {
  const [whole = '', fraction] = formatAmount(amount, decimals).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}
