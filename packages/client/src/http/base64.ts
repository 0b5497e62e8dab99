import { toBase64 } from '#platform';

export { toBase64 } from '#platform';

/** The bytes of a text in base 64. Throws what `atob` throws where it is none. */
export function fromBase64(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let place = 0; place < bytes.length; place++) bytes[place] = binary.charCodeAt(place);
  return bytes;
}

/** Bytes as base 64 for addresses and headers, without padding (RFC 4648, 5). */
export const toBase64Url = (bytes: Uint8Array): string =>
  toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

const BASE64_URL = /^[A-Za-z0-9_-]*$/;

/** The bytes of such a text; undefined unless it is written as `toBase64Url` writes it. */
export function fromBase64Url(text: string): Uint8Array | undefined {
  if (!BASE64_URL.test(text) || text.length % 4 === 1) return undefined;
  const bytes = fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
  return toBase64Url(bytes) === text ? bytes : undefined;
}
