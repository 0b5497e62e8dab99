import { EXIT_LIMIT_SECONDS, type SizeFrom } from '@payouts/client';
import type { Address } from '@solana/kit';
import { type Selectable, sql } from 'kysely';
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

/** What a window must pay to count: base units, and to how many people. */
export type Paying = { readonly least: bigint; readonly recipients?: number };

/** When the next window of a token falls due after a time, unix seconds, by the calendars of its schedules; undefined: none does. */
export async function nextWindowOf(
  database: Db,
  mint: Address,
  { after, least, recipients = 0 }: Paying & { readonly after: bigint },
): Promise<bigint | undefined> {
  const row = await database
    .selectFrom('schedules')
    .select(({ fn }) => fn.min('next_execution').as('next'))
    .where('mint', '=', mint)
    .where('status', '=', 'active')
    .where('next_execution', '>', String(after))
    .where('recipients', '>=', recipients)
    .where(paysAtLeast(least))
    .executeTakeFirst();
  return row?.next == null ? undefined : BigInt(row.next);
}

const paysAtLeast = (least: bigint) => sql<boolean>`amount::numeric >= ${least.toString()}::numeric`;

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

/**
 * The last round, unix seconds, in which parts of a token left before the last window that was paid until a round, within the limit of what waits;
 * undefined: there is none.
 */
export async function leftBeforePay(
  database: Db,
  mint: Address,
  { round, least, recipients = 0 }: Paying & { readonly round: bigint },
): Promise<bigint | undefined> {
  const row = await database
    .selectFrom('exit_rounds')
    .select(({ fn }) => fn.max('round_at').as('last'))
    .where('mint', '=', mint)
    .where('leaves', '=', true)
    .where('round_at', '<', ({ selectFrom }) =>
      selectFrom('execution_runs')
        .innerJoin('schedules', 'schedules.address', 'execution_runs.schedule')
        .select(({ fn }) => sql<string>`${fn.max('finished_at')} / 1000`.as('at'))
        .where('mint', '=', mint)
        .where('state', '=', 'settled')
        .where('claims_total', '>=', recipients)
        .where('finished_at', '>=', String((round - EXIT_LIMIT_SECONDS) * 1_000n))
        .where('finished_at', '<=', String(round * 1_000n))
        .where(sql<boolean>`paid_amount::numeric >= ${least.toString()}::numeric`),
    )
    .executeTakeFirst();
  return row?.last == null ? undefined : BigInt(row.last);
}

/** The size of a token's parts that holds at a time, unix seconds, and the one that is announced; undefined: there is none. */
export async function sizesAt(
  database: Db,
  mint: Address,
  now: bigint,
): Promise<{ readonly size: SizeFrom | undefined; readonly next: SizeFrom | undefined }> {
  const rows = await database
    .selectFrom('exit_sizes')
    .select(['from_at', 'size'])
    .where('mint', '=', mint)
    .orderBy('from_at', 'desc')
    .limit(2)
    .execute();
  const sizes = rows.map(({ from_at, size }) => ({ size: BigInt(size), from: BigInt(from_at) }));
  return { size: sizes.find(({ from }) => from <= now), next: sizes.find(({ from }) => from > now) };
}

/** The sizes of a token's parts, base units, that held at some time between two, unix seconds: the last one first. */
export async function sizesBetween(database: Db, mint: Address, first: bigint, last: bigint): Promise<bigint[]> {
  const rows = await database
    .selectFrom('exit_sizes')
    .select(['from_at', 'size'])
    .where('mint', '=', mint)
    .where('from_at', '<=', String(last))
    .orderBy('from_at', 'desc')
    .execute();
  const until = rows.findIndex(({ from_at }) => BigInt(from_at) <= first);
  return rows.slice(0, until < 0 ? rows.length : until + 1).map(({ size }) => BigInt(size));
}

/** Keeps a size that is announced, in the place of one that was announced and doesn't hold yet; `now`: unix seconds. */
export async function keepSize(
  database: Db,
  mint: Address,
  { size, from, now }: SizeFrom & { readonly now: bigint },
): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await forgetAnnounced(transaction, mint, now);
    await transaction
      .insertInto('exit_sizes')
      .values({ mint, size: size.toString(), from_at: from })
      .onConflict((conflict) => conflict.columns(['mint', 'from_at']).doUpdateSet({ size: size.toString() }))
      .execute();
  });
}

/** Forgets a size that was announced and doesn't hold yet; `now`: unix seconds. */
export async function forgetAnnounced(database: Db, mint: Address, now: bigint): Promise<void> {
  await database.deleteFrom('exit_sizes').where('mint', '=', mint).where('from_at', '>', String(now)).execute();
}

/** Tokens of active schedules that have no size of parts. */
export async function countWithoutSize(database: Db): Promise<number> {
  const row = await database
    .selectFrom('schedules')
    .select(({ fn }) => fn.count<string>('mint').distinct().as('count'))
    .where('status', '=', 'active')
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('exit_sizes').select('size').whereRef('exit_sizes.mint', '=', 'schedules.mint'))),
    )
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

const TERMS = [
  ...(['next_execution', 'executions_left', 'kept', 'recipients', 'amount'] as const),
  ...(['unit', 'every', 'day', 'dates'] as const),
];
/** What is public of a schedule, as far as it says who is paid when. */
export type PublicTerms = Pick<Selectable<SchedulesTable>, (typeof TERMS)[number]>;

/** The terms of a token's active schedules whose windows pay so much at least, base units. */
export function publicTerms(database: Db, mint: Address, least: bigint): Promise<PublicTerms[]> {
  return database
    .selectFrom('schedules')
    .select([...TERMS])
    .where('mint', '=', mint)
    .where('status', '=', 'active')
    .where(paysAtLeast(least))
    .execute();
}

/** What a schedule's settled windows have paid, base units, and its rule. */
export type SettledPay = Pick<PublicTerms, 'recipients' | 'unit' | 'every' | 'day' | 'dates'> & {
  readonly paid: string;
  readonly windows: string;
};

/** What a token's schedules have paid since a time, unix milliseconds: those that have settled so many windows since. */
export function settledPay(
  database: Db,
  mint: Address,
  { since, windows }: { readonly since: number; readonly windows: number },
): Promise<SettledPay[]> {
  return database
    .selectFrom('execution_runs')
    .innerJoin('schedules', 'schedules.address', 'execution_runs.schedule')
    .select(['schedules.recipients', 'unit', 'every', 'day', 'dates'])
    .select(({ fn }) => [sql<string>`sum(paid_amount::numeric)::text`.as('paid'), fn.countAll<string>().as('windows')])
    .where('mint', '=', mint)
    .where('state', '=', 'settled')
    .where('paid_amount', 'is not', null)
    .where('finished_at', '>=', String(since))
    .groupBy('schedules.address')
    .having(({ fn }) => fn.countAll(), '>=', windows)
    .execute();
}
