/** Letters and digits of codes that people compare or type: none looks like another. 32 of them: five bits each. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
/** Fifty bits: nobody finds one within the hour. */
export const CODE_LETTERS = 10;

/** A code of bytes, one for each letter. */
export const codeOf = (bytes: Uint8Array): string =>
  [...bytes.subarray(0, CODE_LETTERS)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');

/** A code as it was typed: case, spaces and hyphens don't count. */
export const typedCode = (text: string): string => text.toUpperCase().replaceAll(/[\s-]/g, '');

/** A code as it is read out: in two halves. */
export const spokenCode = (code: string): string =>
  `${code.slice(0, CODE_LETTERS / 2)}-${code.slice(CODE_LETTERS / 2)}`;
