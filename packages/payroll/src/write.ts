import type { Payee } from '@payouts/client/browser';
import Papa from 'papaparse';
import { formatAmount } from './amount.ts';
import { FIELDS, type NameFields } from './names.ts';

/** Lines written between two turns of others: some milliseconds. */
const SLICE = 2_000;

/** A payroll as `readPayroll` reads it without a question: CSV. */
export const payrollText = (payees: readonly Payee[], decimals: number): string =>
  [...payrollSlices(payees, decimals)].join('');

/** The same in slices, for whoever must not be held up; with what `people` says of recipients, where it is given. */
export function* payrollSlices(
  payees: readonly Payee[],
  decimals: number,
  people?: ReadonlyMap<string, NameFields>,
): Generator<string> {
  const hasDelivery = payees.some(({ delivery = 'balance' }) => delivery !== 'balance');
  const columns = [
    'recipient',
    'amount',
    ...(hasDelivery ? ['delivery'] : []),
    ...(people === undefined
      ? []
      : FIELDS.filter((field) => payees.some((payee) => people.get(payee.recipient)?.[field]))),
  ];
  yield `${columns.join(',')}\n`;
  for (let from = 0; from < payees.length; from += SLICE) {
    const rows = payees.slice(from, from + SLICE).map(({ recipient, amount, delivery = 'balance' }) => ({
      ...people?.get(recipient),
      recipient,
      amount: amountText(amount, decimals),
      delivery,
    }));
    // Nothing that begins like a formula is one, whatever somebody is called.
    yield `${Papa.unparse(rows, { columns, header: false, newline: '\n', escapeFormulae: true })}\n`;
  }
}

/** Three decimals could be thousands to whoever reads the file: a zero more, and they are not. */
function amountText(amount: bigint, decimals: number): string {
  const text = formatAmount(amount, decimals);
  return /\.\d{3}$/.test(text) ? `${text}0` : text;
}
