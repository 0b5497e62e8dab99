import { type AmountFault, displayAmount, formatAmount, readAmount } from '@payouts/payroll';

/** Fewest decimals shown of an amount that has any. */
const SHOWN_DECIMALS = 2;

const notANumber = () => 'The amount is not a number of tokens such as 1,250.50.';
const FAULTS: Readonly<Record<AmountFault, (decimals: number) => string>> = {
  missing: notANumber,
  invalid: notANumber,
  negative: notANumber,
  zero: () => 'The amount is zero.',
  decimals: (decimals) => `The amount has more decimals than the token, which has ${decimals}.`,
  'too-large': () => 'The amount is larger than a ledger can hold.',
};

/**
 * Base units of an amount of tokens as people write it, "1,250.50" with 6 decimals is 1250500000; or the sentence that says why it isn't
 * one: no number, zero, more decimals than the token has, or more than a ledger can hold.
 */
export function readTokens(text: string, decimals: number): bigint | string {
  const read = readAmount(text, decimals);
  return typeof read === 'bigint' ? read : FAULTS[read](decimals);
}

/** An amount of base units in tokens, grouped for reading, all digits of it: 1250500000 with 6 decimals is "1,250.50". */
export const showTokens = (amount: bigint, decimals: number): string => displayAmount(amount, decimals, SHOWN_DECIMALS);

/** Lamports as SOL, all digits of them. */
export const sol = (lamports: bigint): string => formatAmount(lamports, 9);

/** An amount with its token's name: "1,250.50 USDC". */
export const withName = (
  amount: bigint,
  { name, decimals }: { readonly name: string; readonly decimals: number },
): string => `${showTokens(amount, decimals)} ${name}`;
