import { sql } from 'kysely';
import type { Db } from '../schema.ts';

/** Old nonces forgotten with each new one: more than come, so that they don't pile up. */
const FORGOTTEN_AT_ONCE = 100;

/**
 * Takes a nonce's digest for good; false if it was taken before, here or by another process. `goodUntil`: when its signature is
 * too old anyway; `now`; both in unix milliseconds.
 */
export async function takeNonce(
  database: Db,
  digest: Uint8Array,
  { goodUntil, now }: { readonly goodUntil: number; readonly now: number },
): Promise<boolean> {
  const { rows } = await sql`
    with old as (
      delete from signature_nonces where digest in (
        select digest from signature_nonces where expires_at < ${String(now)} order by expires_at
        limit ${FORGOTTEN_AT_ONCE} for update skip locked))
    insert into signature_nonces (digest, expires_at) values (${digest}, ${String(goodUntil)})
    on conflict do nothing returning expires_at`.execute(database);
  return rows.length > 0;
}
