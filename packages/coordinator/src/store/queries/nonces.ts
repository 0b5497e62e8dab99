import { sql } from 'kysely';
import type { Db } from '../schema.ts';

/** Old nonces forgotten with each new one: more than come, so that they don't pile up. */
const FORGOTTEN_AT_ONCE = 100;

/** What became of a nonce: it is taken for good, was taken before, or its signature is too old by the database's clock. */
export type NonceUse = 'taken' | 'replayed' | 'expired';

/**
 * Takes a nonce's digest, here and for every other process. `goodUntil` (unix milliseconds): when its signature is too old. What is forgotten
 * must never be good again, and the clocks of processes differ: the database's alone decides both.
 */
export async function takeNonce(database: Db, digest: Uint8Array, goodUntil: number): Promise<NonceUse> {
  const { rows } = await sql<{ use: NonceUse }>`
    with clock as materialized (select (extract(epoch from clock_timestamp()) * 1000)::bigint as now),
      old as (
        delete from signature_nonces where digest in (
          select digest from signature_nonces where expires_at < (select now from clock) order by expires_at
          limit ${FORGOTTEN_AT_ONCE} for update skip locked)),
      new as (
        insert into signature_nonces (digest, expires_at)
        select ${digest}::bytea, ${String(goodUntil)}::bigint from clock where now <= ${String(goodUntil)}::bigint
        on conflict do nothing returning digest)
    select case when exists (select from new) then 'taken'
      when now > ${String(goodUntil)}::bigint then 'expired' else 'replayed' end as use from clock`.execute(database);
  return rows[0]?.use ?? 'expired';
}
