/** A page's end as callers carry it: opaque to them, the last window's number to us. */
export const cursorAfter = (window: string): string => `w${window}`;

/** What a cursor looks like; the database's integers hold every number in it. */
export const CURSOR = '^w[0-9]{1,18}$';

/** The window that a cursor stands for. */
export const windowOfCursor = (cursor: string): bigint => BigInt(cursor.slice(1));
