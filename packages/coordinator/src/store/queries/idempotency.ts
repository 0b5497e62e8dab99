import { createHash } from 'node:crypto';
import { addressToBytes } from '@payouts/client';
import type { Db } from '../schema.ts';

/** Milliseconds after which a key is forgotten. */
const KEPT_MS = 24 * 60 * 60 * 1_000;

/** A key with what it is used for: the schedule and the root (hexadecimal) that the list sent rebuilds. */
export type IdempotencyKeyUse = { readonly key: string; readonly schedule: string; readonly root: string };

/** The key was used for another list. */
export class KeyReused extends Error {
  override readonly name = 'KeyReused';
}

const digest = (...parts: readonly Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();
/** Each schedule has keys of its own: who uses one for another schedule learns nothing of it. */
const hashOf = ({ key, schedule }: IdempotencyKeyUse): Buffer => digest(addressToBytes(schedule), Buffer.from(key));
const fingerprintOf = ({ schedule, root }: IdempotencyKeyUse): Buffer =>
  digest(addressToBytes(schedule), Buffer.from(root, 'hex'));

const findUse = (database: Db, use: IdempotencyKeyUse, now: number) =>
  database
    .selectFrom('idempotency_keys')
    .select(['fingerprint', 'status'])
    .where('key_hash', '=', hashOf(use))
    .where('created_at', '>', String(now - KEPT_MS))
    .executeTakeFirst();

const isSame = (row: { readonly fingerprint: Uint8Array }, use: IdempotencyKeyUse): boolean =>
  Buffer.compare(row.fingerprint, fingerprintOf(use)) === 0;

/**
 * The status that the same use of a key was answered, at unix milliseconds `now`. Says nothing of a key that was used for another list: only
 * who has shown that a list is the schedule's is told that, by `saveAnswer`.
 */
export async function findAnswer(database: Db, use: IdempotencyKeyUse, now: number): Promise<number | undefined> {
  const row = await findUse(database, use, now);
  return row !== undefined && isSame(row, use) ? row.status : undefined;
}

/**
 * Keeps the status that a use of a key is answered, unless there is one already, and forgets keys that are too old; returns what is
 * kept. Throws `KeyReused` if somebody has used it for another list meanwhile, which must undo the transaction that this belongs to.
 */
export async function saveAnswer(database: Db, use: IdempotencyKeyUse, status: number, now: number): Promise<number> {
  await database
    .deleteFrom('idempotency_keys')
    .where('created_at', '<=', String(now - KEPT_MS))
    .execute();
  await database
    .insertInto('idempotency_keys')
    .values({ key_hash: hashOf(use), fingerprint: fingerprintOf(use), status, created_at: now })
    .onConflict((conflict) => conflict.column('key_hash').doNothing())
    .execute();
  const row = await findUse(database, use, now);
  if (row !== undefined && !isSame(row, use)) throw new KeyReused();
  return row?.status ?? status;
}
