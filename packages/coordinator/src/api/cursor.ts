import { Problem } from '../domain/problems.ts';

const CURSOR = /^w([0-9]{1,20})$/;

/** A page's end as callers carry it: opaque to them, the last window's number to us. */
export const cursorAfter = (window: string): string => Buffer.from(`w${window}`).toString('base64url');

/** The window that a cursor stands for. Throws `invalid-query`. */
export function windowOfCursor(cursor: string): bigint {
  const window = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('utf8'))?.[1];
  if (window === undefined) throw new Problem('invalid-query', 'The cursor is none that this service gave.');
  return BigInt(window);
}
