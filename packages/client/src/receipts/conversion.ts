/** Decimals of a rate, and of an amount in a currency, at most. */
export const RATE_DECIMALS = 12;
export const CURRENCY_DECIMALS = 4;
/** How a currency is written: EUR, and longer for what is none of a state. */
export const CURRENCY = /^[A-Z]{3,8}$/;

/** Where a rate comes from, so short that it fits a line. */
export const RATE_SOURCE = /^[\p{L}\p{N}][\p{L}\p{N} .,:;/()%+&'’–-]{0,59}$/u;

/** An amount in a currency, and the rate at which it is paid in tokens: both are decimal text. */
export type Converted = {
  /** Such as EUR. */
  readonly currency: string;
  readonly amount: string;
  /** Tokens for 1 of the currency. */
  readonly rate: string;
  /** Where the employer has the rate from. */
  readonly source?: string;
};

const DECIMAL = /^(0|[1-9]\d{0,17})(?:\.(\d+))?$/;

/** A decimal number: `digits` of its smallest unit, so many behind the point. */
type Decimal = { readonly digits: bigint; readonly scale: number };

/** Whether a text is an amount in a currency: a decimal number as a rate, with 4 decimals at most. */
export const isCurrencyAmount = (text: string): boolean => decimalOf(text, CURRENCY_DECIMALS) !== undefined;

function decimalOf(text: string, most: number): Decimal | undefined {
  const [, whole, fraction = ''] = DECIMAL.exec(text) ?? [];
  if (whole === undefined || fraction.length > most) return undefined;
  return { digits: BigInt(whole + fraction), scale: fraction.length };
}

/** Whether a text is a rate: a decimal number above zero, without sign or grouping, with 12 decimals at most. */
export function isRate(text: string): boolean {
  const rate = decimalOf(text, RATE_DECIMALS);
  return rate !== undefined && rate.digits > 0n;
}

/**
 * Base units of a token that an amount in a currency is at a rate of so many tokens for 1: exact, and rounded once, to the nearest base
 * unit; in the middle of two, to the even one. Undefined where one of both texts is no such number.
 */
export function convertedAmount(amount: string, rate: string, decimals: number): bigint | undefined {
  const [one, other] = [decimalOf(amount, CURRENCY_DECIMALS), decimalOf(rate, RATE_DECIMALS)];
  if (one === undefined || other === undefined) return undefined;
  const product = one.digits * other.digits * 10n ** BigInt(decimals);
  const divisor = 10n ** BigInt(one.scale + other.scale);
  const [units, twice] = [product / divisor, (product % divisor) * 2n];
  const isUp = twice > divisor || (twice === divisor && units % 2n === 1n);
  return isUp ? units + 1n : units;
}
