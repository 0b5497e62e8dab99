import { formatAmount } from '../payroll.ts';
import { WrongUsage } from './failure.ts';

/** Whole tokens as people write them: digits, in groups of three or not, and decimals behind a point. */
const WRITTEN = /^(\d+|\d{1,3}(?:,\d{3})+)(?:\.(\d+))?$/;
/** Fewest decimals shown of an amount that has any. */
const SHOWN_DECIMALS = 2;

/**
 * Base units of an amount of tokens as people write it: "1,250.50" with 6 decimals is 1250500000.
 *
 * @throws WrongUsage when it isn't one, is zero, has more decimals than the token, or is larger than a ledger can hold
 */
export function parseTokens(text: string, decimals: number): bigint {
  const parts = WRITTEN.exec(text.trim());
  if (parts === null) throw new WrongUsage('The amount is not a number of tokens such as 1,250.50.');
  const fraction = parts[2] ?? '';
  if (fraction.length > decimals) {
    throw new WrongUsage(`The amount has ${fraction.length} decimals; the token has ${decimals}.`);
  }
  const amount = BigInt((parts[1] ?? '').replaceAll(',', '') + fraction.padEnd(decimals, '0'));
  if (amount === 0n) throw new WrongUsage('The amount is zero.');
  if (amount >= 2n ** 64n) throw new WrongUsage('The amount is larger than a ledger can hold.');
  return amount;
}

/** An amount of base units in tokens, grouped for reading, all digits of it: 1250500000 with 6 decimals is "1,250.50". */
export function showTokens(amount: bigint, decimals: number): string {
  const [whole = '', fraction = ''] = formatAmount(amount, decimals).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  const shown = fraction.padEnd(Math.min(SHOWN_DECIMALS, decimals), '0');
  return shown === '' ? grouped : `${grouped}.${shown}`;
}
