import type { Address } from '@solana/kit';
import { type Selectable, sql } from 'kysely';
import type { Coverage } from '../../domain/forecast.ts';
import { hasFewer, PROMISED } from '../covered.ts';
import type { Db, VaultsTable } from '../schema.ts';
import type { ScheduleRow } from './schedules.ts';

/** A vault as it was last seen. */
export type VaultRow = Selectable<VaultsTable>;
/** A reading of a vault; the token's own name is kept with the first one. */
export type ObservedVault = Omit<VaultRow, 'seen_slot' | 'seen_at'> & {
  readonly seen_slot: bigint;
  readonly seen_at: number;
};

/**
 * Vaults of those that have `changed` which were read before; those of schedules of which there is no forecast yet; and those not read since
 * `before` (unix milliseconds), longest ago first.
 */
export async function findVaultsToRead(
  database: Db,
  { changed, before, limit }: { readonly changed: readonly string[]; readonly before: number; readonly limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    (select address from vaults where address = any(${changed}))
    union all
    (select vault as address from schedules where status = 'active' and covered_windows is null limit ${limit})
    union all
    (select address from vaults where seen_at < ${String(before)} order by seen_at limit ${limit})`.execute(database);
  return [...new Set(rows.map(({ address }) => address))].slice(0, limit);
}

/** What these vaults' tokens call themselves, by mint; those that are not known are missing. */
export async function findSymbols(database: Db, mints: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
  if (mints.length === 0) return new Map();
  const rows = await database.selectFrom('vaults').select(['mint', 'symbol']).where('mint', 'in', mints).execute();
  return new Map(rows.map(({ mint, symbol }) => [mint, symbol]));
}

/** Decimals and symbol of tokens that a vault was seen to hold, by mint; others are missing. */
export async function findTokens(
  database: Db,
  mints: readonly Address[],
): Promise<ReadonlyMap<Address, { readonly symbol: string | null; readonly decimals: number }>> {
  if (mints.length === 0) return new Map();
  const rows = await database
    .selectFrom('vaults')
    .select(['mint', 'symbol', 'decimals'])
    .where('mint', 'in', mints)
    .execute();
  return new Map(rows.map(({ mint, symbol, decimals }) => [mint as Address, { symbol, decimals }]));
}

/** Tokens that vaults were seen to hold, in order of their mints. */
export async function listTokens(
  database: Db,
): Promise<{ readonly mint: Address; readonly symbol: string | null; readonly decimals: number }[]> {
  const rows = await database
    .selectFrom('vaults')
    .select(['mint', 'symbol', 'decimals'])
    .distinctOn('mint')
    .orderBy('mint')
    .execute();
  return rows.map(({ mint, symbol, decimals }) => ({ mint: mint as Address, symbol, decimals }));
}

/** Schedules that draw on these vaults now or may again. */
export function listDrawing(database: Db, vaults: readonly string[], limit: number): Promise<ScheduleRow[]> {
  if (vaults.length === 0) return Promise.resolve([]);
  return database
    .selectFrom('schedules')
    .selectAll()
    .where('vault', 'in', vaults)
    .where('status', 'in', ['active', 'paused', 'awaiting'])
    .orderBy('address')
    .limit(limit)
    .execute();
}

/** Keeps readings of vaults, unless later ones are known. */
export async function saveObservedVaults(database: Db, seen: readonly ObservedVault[]): Promise<void> {
  if (seen.length === 0) return;
  await database
    .insertInto('vaults')
    .values([...seen].sort((one, other) => (one.address < other.address ? -1 : 1)))
    .onConflict((conflict) =>
      conflict
        .column('address')
        .doUpdateSet(({ ref }) => ({
          reserved: ref('excluded.reserved'),
          available: ref('excluded.available'),
          seen_slot: ref('excluded.seen_slot'),
          seen_at: ref('excluded.seen_at'),
        }))
        .whereRef('vaults.seen_slot', '<=', 'excluded.seen_slot'),
    )
    .execute();
}

/** Keeps how far the money of these schedules reaches. */
export async function saveCoverage(
  database: Db,
  coverage: Iterable<readonly [address: string, coverage: Coverage]>,
): Promise<void> {
  const rows = [...coverage].map(([address, { windows, short }]) => ({
    address,
    windows,
    amount: short?.amount.toString() ?? null,
    at: short?.at.toString() ?? null,
  }));
  if (rows.length === 0) return;
  // Rows are locked in the order of their addresses, so that two processes never wait for each other.
  await sql`with forecast as materialized (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as forecast (address text, windows integer, amount text, at bigint)
    ), locked as materialized (
      select schedules.address from schedules join forecast on forecast.address = schedules.address
      where (covered_windows, short_amount, short_at) is distinct from (forecast.windows, forecast.amount, forecast.at)
      order by schedules.address for no key update of schedules
    )
    update schedules set covered_windows = forecast.windows, short_amount = forecast.amount, short_at = forecast.at
    from forecast, locked
    where schedules.address = forecast.address and locked.address = schedules.address`.execute(database);
}

/** A vault as it was last seen. */
export function findVault(database: Db, address: string): Promise<VaultRow | undefined> {
  return database.selectFrom('vaults').selectAll().where('address', '=', address).executeTakeFirst();
}

/** These vaults as they were last seen, by address; those never read are missing. */
export async function findVaults(database: Db, addresses: readonly string[]): Promise<ReadonlyMap<string, VaultRow>> {
  if (addresses.length === 0) return new Map();
  const rows = await database.selectFrom('vaults').selectAll().where('address', 'in', addresses).execute();
  return new Map(rows.map((row) => [row.address, row]));
}

/** How far the money of active schedules reaches. */
export type FundsCounts = {
  /** Windows that the least covered one has; undefined: there is no forecast. */
  readonly least: number | undefined;
  /** Schedules of whose next `few` windows one is promised and not covered; one that ends as planned is none. */
  readonly low: number;
  /** What is missing for the first such window of each of them, in base units of whatever tokens. */
  readonly shortfall: number;
};

/** Reads the forecast, by the index of active schedules' coverage. */
export async function countFunds(database: Db, few: number): Promise<FundsCounts> {
  const { rows } = await sql<{ least: number | null; low: number; shortfall: string | null }>`select
      (select covered_windows from schedules where status = 'active' and covered_windows is not null
        order by covered_windows limit 1) as least,
      count(*)::integer as low, sum(short_amount::numeric)::text as shortfall
    from schedules where status = 'active' and ${hasFewer(few)} and covered_windows < ${PROMISED}`.execute(database);
  const row = rows[0];
  return { least: row?.least ?? undefined, low: row?.low ?? 0, shortfall: Number(row?.shortfall ?? 0) };
}
