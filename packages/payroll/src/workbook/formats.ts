/** How a cell's format shows a number. */
export type NumberFormat =
  /** All of it: `decimals` at most, undefined for as many as there are. */
  | { readonly kind: 'plain'; readonly decimals: number | undefined }
  | { readonly kind: 'date' }
  /** As something else than itself: in per cent, in thousands, not at all. */
  | { readonly kind: 'other' };

const GENERAL: NumberFormat = { kind: 'plain', decimals: undefined };
/** Formats that every program knows by their numbers and no file names: ECMA-376, 18.8.30. Others show dates in some language. */
const BUILT_IN: Readonly<Record<number, string>> = {
  0: 'General',
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  5: '#,##0',
  6: '#,##0',
  7: '#,##0.00',
  8: '#,##0.00',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  12: '# ?/?',
  13: '# ??/??',
  37: '#,##0',
  38: '#,##0',
  39: '#,##0.00',
  40: '#,##0.00',
  41: '#,##0',
  42: '#,##0',
  43: '#,##0.00',
  44: '#,##0.00',
  48: '##0.0E+0',
  49: '@',
};

/** The format of a number that a file names, or that has no other code than that. */
export const formatOf = (id: number, code = BUILT_IN[id]): NumberFormat =>
  code === undefined ? { kind: 'date' } : readFormat(code);

/** Texts, escaped and repeated characters, spaces as wide as a character; colours, conditions and currencies. */
const LITERAL = /"([^"]*)"|\\(.)|[_*](.)|\[\$([^\]-]*)(?:-[^\]]*)?\]|\[(?:[a-z]+|color ?\d+|[<>=]+-?[\d.]+)\]/gi;
/** Digits with a point, and commas among those in front of it alone: one behind the last digit would divide by a thousand. */
const DIGITS = /^[^0#?.]*([0#?](?:[0#?,]*[0#?])?)?(?:\.([0#?]*))?[^0#?.,]*$/;

/** What a format's code does to numbers that are not negative. */
function readFormat(code: string): NumberFormat {
  let isAltered = false;
  const bare = code.replace(LITERAL, (whole, ...parts: (string | undefined)[]) => {
    // Hours that go on beyond a day.
    if (/^\[(?:h+|m+|s+)\]$/i.test(whole)) return 'h';
    const text = parts.slice(0, 4).join('');
    if (/\d/.test(text) || /^\[[<>=]/.test(whole)) isAltered = true;
    return '';
  });
  const [section = ''] = bare.replaceAll(' ', '').split(';');
  if (/^general$/i.test(section) || section === '@') return isAltered ? { kind: 'other' } : GENERAL;
  if (/[ymdhsg]/i.test(section)) return { kind: 'date' };
  const found = DIGITS.exec(section);
  const isPlain = found !== null && (found[1] ?? found[2] ?? '') !== '' && !/[%/e\p{L}]/iu.test(section);
  return isPlain && !isAltered ? { kind: 'plain', decimals: found[2]?.length ?? 0 } : { kind: 'other' };
}
