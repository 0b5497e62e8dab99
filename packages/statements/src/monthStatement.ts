import type { Payslip } from '@payouts/client';
import { formatAmount } from '@payouts/payroll';
import type { Address } from '@solana/kit';
import Papa from 'papaparse';
import { payslipName } from './payslipFiles.ts';

/** One payment of a statement. Private. */
export type StatementPayment = {
  /** When its window was settled, unix milliseconds. */
  readonly at: number;
  readonly schedule: Address;
  readonly window: bigint;
  /** The entry's, in the list. */
  readonly index: number;
  /** What its payslip is called. */
  readonly reference: string;
  readonly recipient: Address;
  /** What the employer calls the recipient; empty: not said. */
  readonly name: string;
  /** Base units. */
  readonly amount: bigint;
  readonly decimals: number;
  readonly symbol: string | null;
  readonly mint: Address;
  /** Of the settlement on the base ledger. */
  readonly signature: string;
};

/** What was paid in a month, by an employer or to a recipient. */
export type MonthStatement = {
  /** Such as 2026-11; in UTC. */
  readonly month: string;
  /** Whose statement it is, and on which side. */
  readonly owner: Address;
  readonly side: 'employer' | 'recipient';
  /** Unix milliseconds. */
  readonly madeAt: number;
  readonly payments: readonly StatementPayment[];
};

/** The payment that a payslip proves, which is verified already. */
export const paymentOf = (payslip: Payslip, name = ''): StatementPayment => {
  const { leaf, settled } = payslip;
  const { schedule, window, decimals, symbol, mint, settlement, settledAt: at } = settled;
  const { index, recipient, amount } = leaf;
  const [reference, { signature }] = [payslipName(payslip), settlement];
  return { at, schedule, window, index, reference, recipient, name, amount, decimals, symbol, mint, signature };
};

/** What the payments of each token come to. */
export type TokenTotal = Pick<StatementPayment, 'mint' | 'decimals' | 'symbol' | 'amount'> & { readonly count: number };

export function totalsByToken(payments: readonly StatementPayment[]): TokenTotal[] {
  const totals = new Map<Address, TokenTotal>();
  for (const { mint, decimals, symbol, amount } of payments) {
    const { amount: before, count } = totals.get(mint) ?? { amount: 0n, count: 0 };
    totals.set(mint, { mint, decimals, symbol, amount: before + amount, count: count + 1 });
  }
  return [...totals.values()].sort((one, other) => (one.mint < other.mint ? -1 : 1));
}

/** What a spreadsheet takes for a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const COLUMNS = [
  'date',
  'token',
  'mint',
  'payroll',
  'pay_run',
  'reference',
  'recipient',
  'name',
  'amount',
  'base_units',
  'transaction',
];

/** A line for each payment, then a line `total` for each token. Amounts are tokens, digits with a point. */
export function monthCsv({ payments }: MonthStatement): string {
  const rows = payments.map(
    ({ at, symbol, mint, schedule, window, reference, recipient, name, amount, decimals, signature }) => ({
      reference,
      recipient,
      name,
      date: new Date(at).toISOString(),
      token: symbol ?? '',
      mint,
      payroll: schedule,
      pay_run: window.toString(),
      amount: formatAmount(amount, decimals),
      base_units: amount.toString(),
      transaction: signature,
    }),
  );
  const totals = totalsByToken(payments).map(({ symbol, mint, amount, decimals }) => ({
    date: 'total',
    token: symbol ?? '',
    mint,
    amount: formatAmount(amount, decimals),
    base_units: amount.toString(),
  }));
  // Nothing that begins like a formula is one, whatever somebody is called.
  const data = [...rows, ...totals];
  return `${Papa.unparse({ fields: COLUMNS, data }, { newline: '\n', escapeFormulae: FORMULA })}\n`;
}
