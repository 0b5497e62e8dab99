import { sql } from 'kysely';
import type { Db } from '../schema.ts';

/** How many other processes are alive, and how many have died without having been taken over yet. */
export type OtherInstances = { readonly live: number; readonly expired: number };

const expiry = (leaseMs: number) =>
  sql<Date>`clock_timestamp() + ${leaseMs}::double precision * interval '1 millisecond'`;

/**
 * Takes an instance's name for as long as the session lasts; false if another session has it. One that has it gets it again, so that
 * this may be asked before each renewal, over whatever connection there is by then.
 */
export async function holdName(database: Db, lockNumber: string): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`select pg_try_advisory_lock(${lockNumber}) as held`.execute(database);
  return rows[0]?.held === true;
}

/** Begins a lease; `leaseMs` in milliseconds. */
export async function beginLease(
  database: Db,
  lease: { readonly executor: string; readonly instance: string; readonly leaseMs: number },
): Promise<void> {
  const expires_at = expiry(lease.leaseMs);
  await database
    .insertInto('instance_leases')
    .values({ executor: lease.executor, instance: lease.instance, expires_at })
    .onConflict((conflict) => conflict.column('executor').doUpdateSet({ expires_at }))
    .execute();
}

/** Renews a lease, also one that has expired unless another process has taken it: then undefined. */
export async function renewLease(database: Db, executor: string, leaseMs: number): Promise<OtherInstances | undefined> {
  const { rows } = await sql<OtherInstances & { readonly renewed: boolean }>`
    with renewed as (
      update instance_leases set expires_at = ${expiry(leaseMs)} where executor = ${executor} returning executor
    )
    select exists (select from renewed) as renewed,
      count(*) filter (where expires_at >= clock_timestamp())::integer as live,
      count(*) filter (where expires_at < clock_timestamp())::integer as expired
    from instance_leases where executor <> ${executor}`.execute(database);
  const [found] = rows;
  return found?.renewed === true ? { live: found.live, expired: found.expired } : undefined;
}

/**
 * Takes the leases that have expired, and returns whose they were: each goes to exactly one who asks. Whoever asks has just renewed a lease
 * of `leaseMs`. A database that stood still meanwhile carries this out late, and all leases have expired by then: so it takes none
 * unless that renewal is less than a third of a lease ago, by the database's clock.
 */
export async function takeExpiredLeases(database: Db, executor: string, leaseMs: number): Promise<string[]> {
  const taken = await database
    .deleteFrom('instance_leases')
    .where('expires_at', '<', sql<Date>`clock_timestamp()`)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('instance_leases as own')
          .where('own.executor', '=', executor)
          .where('own.expires_at', '>', expiry((leaseMs * 2) / 3)),
      ),
    )
    .returning('executor')
    .execute();
  return taken.map((each) => each.executor);
}

/** Takes the leases of an instance's former processes, expired or not; whoever asks must hold the instance's name. */
export async function takeFormerLeases(database: Db, instance: string, executor: string): Promise<string[]> {
  const taken = await database
    .deleteFrom('instance_leases')
    .where('instance', '=', instance)
    .where('executor', '<>', executor)
    .returning('executor')
    .execute();
  return taken.map((former) => former.executor);
}

/**
 * Ends the database sessions of these processes: one that is frozen or cut off could hold rows locked. The sessions' names carry the
 * executor; see openDatabase.ts.
 */
export async function endSessions(database: Db, executors: readonly string[]): Promise<void> {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where usename = current_user and datname = current_database() and pid <> pg_backend_pid()
      and split_part(application_name, ' ', 2) = any(${executors}::text[])`.execute(database);
}

/** Ends a lease in order. */
export async function endLease(database: Db, executor: string): Promise<void> {
  await database.deleteFrom('instance_leases').where('executor', '=', executor).execute();
}
