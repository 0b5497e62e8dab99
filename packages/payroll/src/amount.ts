import { MAX_U64 } from '@payouts/client/browser';

/** Why a text is no amount. */
export type AmountFault = 'missing' | 'invalid' | 'negative' | 'zero' | 'decimals' | 'too-large';

/** How amounts are written: 1,250.50 (`point`) or 1.250,50 (`comma`). */
export type AmountStyle = 'point' | 'comma';

/** Between thousands in either style: spaces, as in French, and apostrophes, as in Switzerland. */
const GROUP = "[ \u00a0\u202f'’]";
/** Whole tokens, then decimals. Thousands never begin with a zero, so 0.125 has decimals; 12,50,000 is grouped as in India. */
const AMOUNTS: Readonly<Record<AmountStyle, RegExp>> = {
  point: new RegExp(String.raw`^(\d+|[1-9]\d{0,2}(?:,\d{2,3})*,\d{3}|[1-9]\d{0,2}(?:${GROUP}\d{3})+)(?:\.(\d+))?$`),
  comma: new RegExp(String.raw`^(\d+|[1-9]\d{0,2}(?:\.\d{3})+|[1-9]\d{0,2}(?:${GROUP}\d{3})+)(?:,(\d+))?$`),
};
/** "-5", "−5" and "(5)", as spreadsheets write less than nothing. */
const NEGATIVE = /^(?:[-−].*|\(.*\))$/;
const NEITHER = /^[^.,]*$/;

/** What an amount says of how its file is written: a style, nothing ("1250"), or that it can be read in both, as two amounts ("1,250"). */
export function styleOf(written: string): AmountStyle | 'none' | 'either' {
  const text = written.trim();
  if (NEITHER.test(text)) return 'none';
  const [point, comma] = [AMOUNTS.point.test(text), AMOUNTS.comma.test(text)];
  if (point && comma) return 'either';
  if (point) return 'point';
  return comma ? 'comma' : 'none';
}

/**
 * Base units of an amount in whole tokens as people write it: "1,250.5" with 6 decimals is 1250500000. Exact: no rounding, so more
 * decimals than the token has are refused unless they are zeros.
 */
export function readAmount(written: string, decimals: number, style: AmountStyle = 'point'): bigint | AmountFault {
  const text = written.trim();
  if (text === '') return 'missing';
  if (NEGATIVE.test(text)) return 'negative';
  const parts = AMOUNTS[style].exec(text);
  if (parts === null) return 'invalid';
  const fraction = (parts[2] ?? '').replace(/0+$/, '');
  if (fraction.length > decimals) return 'decimals';
  const whole = (parts[1] as string).replace(/\D/g, '');
  const amount = BigInt(whole + fraction.padEnd(decimals, '0'));
  if (amount === 0n) return 'zero';
  return amount > MAX_U64 ? 'too-large' : amount;
}

/** A base-unit amount in whole tokens: 1250500000 with 6 decimals is "1250.5". */
export function formatAmount(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** The same, grouped for reading, with at least so many decimals: "1,250.5", or "1,250.50" with 2. */
export function displayAmount(amount: bigint, decimals: number, least = 0): string {
  const [whole = '', fraction = ''] = formatAmount(amount, decimals).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  const shown = fraction.padEnd(Math.min(least, decimals), '0');
  return shown === '' ? grouped : `${grouped}.${shown}`;
}
