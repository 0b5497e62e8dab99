import { type PayrollError, unreadable } from '../problems.ts';

/** Bytes by which a file of another encoding begins: its mark, or a bracket as that encoding writes it. */
const OTHERS: readonly (readonly [string, readonly number[]])[] = [
  ['UTF-32', [0x00, 0x00, 0xfe, 0xff]],
  ['UTF-32', [0xff, 0xfe, 0x00, 0x00]],
  ['UTF-32', [0x00, 0x00, 0x00, 0x3c]],
  ['UTF-32', [0x3c, 0x00, 0x00, 0x00]],
  ['UTF-16', [0xfe, 0xff, 0x00, 0x3c]],
  ['UTF-16', [0xff, 0xfe, 0x3c, 0x00]],
  ['UTF-16', [0x00, 0x3c]],
  ['UTF-16', [0x3c, 0x00]],
  ['EBCDIC', [0x4c, 0x6f, 0xa7, 0x94]],
];
/** A mark in front of UTF-8, which means nothing. */
const MARK = [0xef, 0xbb, 0xbf];
/** What a declaration of XML fits into. */
const HEAD = 256;
const DECLARED = /^<\?xml\s[^>]*?\bencoding\s*=\s*["']([A-Za-z][A-Za-z0-9._-]*)["']/;
const BRACKET = /^\s*</;

const beginsWith = (bytes: Uint8Array, start: readonly number[]): boolean =>
  start.every((byte, at) => bytes[at] === byte);

const otherEncoding = (bytes: Uint8Array): string | undefined =>
  OTHERS.find(([, start]) => beginsWith(bytes, start))?.[0];

/** The beginning of a file whose letters are one byte each there. */
const headOf = (content: Uint8Array | string): string =>
  typeof content === 'string'
    ? content.slice(0, HEAD).replace(/^\uFEFF/, '')
    : String.fromCharCode(...content.subarray(beginsWith(content, MARK) ? MARK.length : 0, HEAD));

/** Whether a file is XML, in whatever encoding: no line of CSV begins with a bracket. */
export const looksLikeXml = (content: Uint8Array | string): boolean =>
  BRACKET.test(headOf(content)) || (typeof content !== 'string' && otherEncoding(content) !== undefined);

/** Throws `PayrollError` payment-file-encoding for a file that is not UTF-8, or says that it is not. */
export function checkEncoding(content: Uint8Array | string): void {
  if (typeof content === 'string') return;
  const encoding = otherEncoding(content) ?? DECLARED.exec(headOf(content))?.[1] ?? 'UTF-8';
  if (!/^utf-?8$/i.test(encoding)) throw wrongEncoding(`is in ${encoding}`);
}

/** `how`: what it is instead. */
export const wrongEncoding = (how: string): PayrollError =>
  unreadable(
    'payment-file-encoding',
    `The payment file ${how}. Payment files are XML in UTF-8: have your program write it so.`,
  );
