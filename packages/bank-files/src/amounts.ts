import { formatAmount } from '@payouts/payroll/amount';

/** Why a file can't be written; the code is stable, for programs. */
export type BankFileErrorCode =
  | 'amount-too-fine'
  | 'amount-too-large'
  | 'currency-unknown'
  | 'journal-too-long'
  | 'nothing-paid'
  | 'payments-differ'
  | 'tax-rate-missing';

/** A file that can't say what is true. The message has neither an address nor an amount in it. */
export class BankFileError extends Error {
  override readonly name = 'BankFileError';

  constructor(
    readonly code: BankFileErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/** How amounts of a token are written in a bank's file. */
export type BankToken = {
  /** ISO 4217, such as USD for USDC. */
  readonly currency: string;
  readonly decimals: number;
};

const LEAST_PLACES = 2;
/** ISO 20022: digits behind the point, and in all. */
const MOST_PLACES = 5;
const MOST_DIGITS = 18;

/** An amount as ISO 20022 writes it, exactly. Throws `BankFileError` for one that it can't hold: nothing is rounded. */
export const isoAmount = (units: bigint, { decimals }: BankToken): string =>
  decimalAmount(units, decimals, MOST_PLACES);

/** Base units without what is finer than such files can hold. */
export const coarse = (units: bigint, { decimals }: BankToken): bigint =>
  units - (units % 10n ** BigInt(Math.max(0, decimals - MOST_PLACES)));

/** The same with at most so many digits behind the point. */
export function decimalAmount(units: bigint, decimals: number, places: number): string {
  const [whole = '', fraction = ''] = formatAmount(units, decimals).split('.');
  if (fraction.length > places) {
    throw new BankFileError(
      'amount-too-fine',
      `An amount has ${fraction.length} decimals, and such files have ${places} at most. Nothing is rounded: pay and deposit amounts of ${places} decimals or fewer.`,
    );
  }
  const written = fraction.padEnd(LEAST_PLACES, '0');
  if (whole.length + written.length > MOST_DIGITS) {
    throw new BankFileError('amount-too-large', `An amount has more than the ${MOST_DIGITS} digits of such files.`);
  }
  return `${whole}.${written}`;
}

export const sumOf = (amounts: readonly { readonly amount: bigint }[]): bigint =>
  amounts.reduce((sum, { amount }) => sum + amount, 0n);
