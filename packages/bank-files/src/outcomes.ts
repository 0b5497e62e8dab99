import { type PaymentFile, readAmount } from '@payouts/payroll';
import { BankFileError } from './amounts.ts';
import type { PaymentOutcome } from './pain002.ts';

/** An entry of the list that a pay run was to pay, and what became of it. */
export type ListedEntry = {
  readonly recipient: string;
  /** Base units. */
  readonly amount: bigint;
  readonly state: PaymentOutcome['state'];
  readonly payslip?: string | undefined;
};

/**
 * What became of each payment of a payment file, by the entries of the list that was paid. Throws `BankFileError` payments-differ unless each
 * payment is an entry, and each entry a payment: nothing is reported of a file that was not what was paid.
 */
export function outcomesOf(original: PaymentFile, entries: readonly ListedEntry[], decimals: number): PaymentOutcome[] {
  const waiting = new Map<string, ListedEntry[]>();
  const keyOf = (recipient: string, amount: bigint) => `${recipient} ${amount}`;
  // Those that were paid are taken first.
  for (const entry of entries.toSorted((one, other) => rank(other) - rank(one))) {
    const key = keyOf(entry.recipient, entry.amount);
    const same = waiting.get(key);
    if (same === undefined) waiting.set(key, [entry]);
    else same.push(entry);
  }
  let missing = 0;
  const outcomes = original.payments.flatMap((payment): PaymentOutcome[] => {
    const amount = readAmount(payment.amount, decimals);
    const entry = typeof amount === 'bigint' ? waiting.get(keyOf(payment.recipient, amount))?.pop() : undefined;
    if (entry === undefined) missing += 1;
    return entry === undefined ? [] : [{ payment, amount: entry.amount, state: entry.state, payslip: entry.payslip }];
  });
  const more = entries.length - outcomes.length;
  if (missing > 0 || more > 0) {
    throw new BankFileError(
      'payments-differ',
      `The payment file is not what the pay run was to pay: ${missing} of its payments are not in the list, and ${more} entries of the list are not in it. Name the file that the list was made from.`,
    );
  }
  return outcomes;
}

/** `pop` takes what stands last. */
const rank = ({ state }: ListedEntry): number => (state === 'paid' ? 0 : 1);
