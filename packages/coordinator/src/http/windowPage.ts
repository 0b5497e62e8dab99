import { type Static, Type } from 'typebox';
import { CURSOR, windowOfCursor } from './cursor.ts';

const PAGE = 20;

/** What pages of windows are asked for with, newest first. */
export const WindowPageQuery = Type.Object(
  {
    cursor: Type.Optional(
      Type.String({ pattern: CURSOR, description: 'nextCursor of the page before', examples: ['w17'] }),
    ),
    limit: Type.Optional(
      Type.String({
        pattern: '^(100|[1-9][0-9]?)$',
        description: `Windows on a page: 1 to 100; ${PAGE} if not given`,
        examples: ['20'],
      }),
    ),
  },
  { additionalProperties: false },
);

/** At most `limit` windows, below window `before`. */
export type WindowPage = { readonly before: bigint | undefined; readonly limit: number };

/** The page that a query asks for. */
export const windowPage = ({ cursor, limit }: Static<typeof WindowPageQuery>): WindowPage => ({
  before: cursor === undefined ? undefined : windowOfCursor(cursor),
  limit: limit === undefined ? PAGE : Number(limit),
});
