import type { SizeFrom } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Selectable } from 'kysely';
import type { Db, SchedulesTable } from '../schema.ts';

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

/** The rounds of a token that were decided about last, the latest first; `leaves`: those alone in which its parts left. */
export async function lastDecided(
  database: Db,
  mint: Address,
  { limit, leaves }: { readonly limit: number; readonly leaves?: true },
): Promise<DecidedRound[]> {
  const rows = await database
    .selectFrom('exit_rounds')
    .selectAll()
    .where('mint', '=', mint)
    .$if(leaves === true, (query) => query.where('leaves', '=', true))
    .orderBy('round_at', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ round_at, ...row }) => ({ ...row, mint, round: BigInt(round_at) }));
}

/** The sizes of a token's parts that were announced last, the latest first. */
export async function lastSizes(database: Db, mint: Address, limit: number): Promise<SizeFrom[]> {
  const rows = await database
    .selectFrom('exit_sizes')
    .select(['from_at', 'size'])
    .where('mint', '=', mint)
    .orderBy('from_at', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ from_at, size }) => ({ size: BigInt(size), from: BigInt(from_at) }));
}

/** Keeps a size that is announced; of two that are announced at once the first one stays. */
export async function keepSize(database: Db, mint: Address, { size, from }: SizeFrom): Promise<void> {
  await database
    .insertInto('exit_sizes')
    .values({ mint, size: size.toString(), from_at: from })
    .onConflict((conflict) => conflict.columns(['mint', 'from_at']).doNothing())
    .execute();
}

const TERMS = [
  ...(['status', 'window_number', 'next_execution', 'executions_left'] as const),
  ...(['recipients', 'amount', 'unit', 'every', 'day'] as const),
];
/** What is public of a schedule, as far as it says who is paid when. */
export type PublicTerms = Pick<Selectable<SchedulesTable>, (typeof TERMS)[number]>;

/** The terms of a token's schedules whose next window falls due after a time, unix seconds, or that had one since. */
export function publicTerms(database: Db, mint: Address, since: bigint): Promise<PublicTerms[]> {
  return database
    .selectFrom('schedules')
    .select([...TERMS])
    .where('mint', '=', mint)
    .where('status', '!=', 'awaiting')
    .where('next_execution', '>', String(since))
    .execute();
}
