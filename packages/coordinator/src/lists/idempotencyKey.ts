import { Problem } from '../domain/problems.ts';

/** A string of structured fields (RFC 9651), which has its own escapes, or the bare text that many clients send. */
const QUOTED = /^"((?:[\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
const BARE = /^[\x21\x23-\x7e]*$/;
const LONGEST = 255;

/**
 * The key in an Idempotency-Key header: `"8e03978e…"`, or the same without quotes. Undefined without the header. Throws
 * `idempotency-key-invalid`.
 */
export function idempotencyKey(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string') {
    const quoted = QUOTED.exec(header)?.[1]?.replaceAll(/\\(["\\])/g, '$1');
    const key = quoted ?? (BARE.test(header) ? header : '');
    if (key.length > 0 && key.length <= LONGEST) return key;
  }
  const detail = `An Idempotency-Key is one text of 1 to ${LONGEST} visible ASCII characters, in double quotes or without any.`;
  throw new Problem('idempotency-key-invalid', detail);
}
