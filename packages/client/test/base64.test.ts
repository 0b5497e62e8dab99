import { expect, it } from 'vitest';
import { fromBase64, toBase64 } from '../src/http/base64.ts';

it.each([0, 1, 2, 3, 8_192, 20_000])('writes %i bytes as Node does, and reads them again', (length) => {
  const bytes = Uint8Array.from({ length }, (_, place) => (place * 7) % 256);
  expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
  expect(fromBase64(toBase64(bytes))).toEqual(bytes);
});
