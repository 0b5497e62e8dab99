import type { Address } from '@solana/kit';
import type { Db } from '../schema.ts';

/** A token's parts in a round, and whether they leave in it. */
export type DecidedRound = {
  readonly mint: Address;
  /** Unix seconds. */
  readonly round: bigint;
  readonly leaves: boolean;
  readonly parts: number;
  /** Balances that the parts are of. */
  readonly people: number;
};

/** Of these tokens those that were decided about in a round: whether their parts leave. */
export async function decidedFor(
  database: Db,
  round: bigint,
  mints: readonly Address[],
): Promise<ReadonlyMap<Address, boolean>> {
  const rows = await database
    .selectFrom('exit_rounds')
    .select(['mint', 'leaves'])
    .where('round_at', '=', String(round))
    .where('mint', 'in', [...mints])
    .execute();
  return new Map(rows.map(({ mint, leaves }) => [mint as Address, leaves]));
}

/** Keeps what was decided about a round; what was kept before stays. */
export async function keepDecided(database: Db, { round, ...decided }: DecidedRound): Promise<void> {
  await database
    .insertInto('exit_rounds')
    .values({ ...decided, round_at: round })
    .onConflict((conflict) => conflict.columns(['mint', 'round_at']).doNothing())
    .execute();
}

/** When the next window of a token falls due after a time, unix seconds, by the calendars of its schedules; undefined: none does. */
export async function nextWindowOf(database: Db, mint: Address, after: bigint): Promise<bigint | undefined> {
  const row = await database
    .selectFrom('schedules')
    .select(({ fn }) => fn.min('next_execution').as('next'))
    .where('mint', '=', mint)
    .where('status', '=', 'active')
    .where('next_execution', '>', String(after))
    .executeTakeFirst();
  return row?.next == null ? undefined : BigInt(row.next);
}
