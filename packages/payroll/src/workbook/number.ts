const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;
/** What is shown and stored as it is written. */
const SHORT = /^(?:0|[1-9]\d{0,8})(?:\.\d{0,5}[1-9])?$/;
/** Digits that a spreadsheet keeps of what is typed into it. */
const KEPT_DIGITS = 15;

/** A cell's number: as a spreadsheet shows it when all its digits are shown, and as the file's binary number is told from all others. */
export type CellNumber = { readonly shown: string; readonly stored: string };

/**
 * A number of a cell, which is kept in binary: 0.1 + 0.2 is stored as 0.30000000000000004, and shown as 0.3. Undefined for what is no
 * number.
 */
export function cellNumber(written: string): CellNumber | undefined {
  if (SHORT.test(written)) return { shown: written, stored: written };
  const value = Number(written);
  if (!NUMBER.test(written) || !Number.isFinite(value)) return undefined;
  return {
    shown: withoutExponent(value.toExponential(KEPT_DIGITS - 1)),
    stored: withoutExponent(value.toExponential()),
  };
}

/** 1.25e+3 as 1250, without zeros at its end. */
function withoutExponent(text: string): string {
  const [, sign = '', first = '', rest = '', exponent = '0'] = /^(-?)(\d)(?:\.(\d*))?e([-+]\d+)$/.exec(text) ?? [];
  const digits = (first + rest).replace(/0+$/, '') || '0';
  const point = Number(exponent) + 1;
  if (digits === '0') return '0';
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return sign + digits.padEnd(point, '0');
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

export const decimalsOf = (text: string): number => text.split('.')[1]?.length ?? 0;
