import type { Static } from 'typebox';
import { Closed, PageCursor, PageLimit } from './schemaParts.ts';

const PAGE = 20;
/** What a cursor looks like: opaque to callers, the last window's number to us; the database's integers hold every number in it. */
export const WINDOW_CURSOR = '^w[0-9]{1,18}$';

/** What pages of windows are asked for with, newest first. */
export const WindowPageQuery = Closed({
  cursor: PageCursor(WINDOW_CURSOR, 'w17'),
  limit: PageLimit(`Windows on a page: 1 to 100; ${PAGE} if not given`),
});

/** At most `limit` windows, below window `before`. */
export type WindowPage = { readonly before: bigint | undefined; readonly limit: number };

/** The page that a query asks for; of the usual size if it doesn't say. */
export const windowPage = ({ cursor, limit }: Static<typeof WindowPageQuery>, usual = PAGE): WindowPage => ({
  before: cursor === undefined ? undefined : BigInt(cursor.slice(1)),
  limit: limit === undefined ? usual : Number(limit),
});

type Numbered = { readonly window_number: string };

/** A page of rows of which one more than its limit was asked for, which tells whether there is a further page. */
export function pageOf<Row extends Numbered>(
  rows: readonly Row[],
  limit: number,
  numberOf: (last: Row) => string = ({ window_number }) => window_number,
): { readonly page: Row[]; readonly nextCursor: string | null } {
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { page, nextCursor: last === undefined ? null : `w${numberOf(last)}` };
}
