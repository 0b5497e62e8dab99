/** Bytes as base 64. */
export const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

/** Bytes as base 64 for addresses and headers, without padding (RFC 4648, 5). */
export const toBase64Url = (bytes: Uint8Array): string =>
  toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

const BASE64_URL = /^[A-Za-z0-9_-]*$/;

/** The bytes of such a text; undefined unless it is written as `toBase64Url` writes it. */
export function fromBase64Url(text: string): Uint8Array | undefined {
  if (!BASE64_URL.test(text) || text.length % 4 === 1) return undefined;
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  return toBase64Url(bytes) === text ? bytes : undefined;
}
