import { createHash } from 'node:crypto';
import type { Time } from '@payouts/client';
import pg from 'pg';
import { connectionConfig } from './serverPool.ts';

/** Milliseconds between two attempts to get a lock. */
const AGAIN_MS = 500;
const ANSWER_MS = 5_000;

/** The number by which PostgreSQL knows a lock. */
export function lockNumber(name: string): string {
  return createHash('sha256').update(`payouts ${name}`).digest().readBigInt64BE(0).toString();
}

/** Works while no other process holds the lock of this name. */
export async function withAdvisoryLock<T>(
  databaseUrl: string,
  { name, time }: { readonly name: string; readonly time: Pick<Time, 'pause'> },
  work: () => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    ...connectionConfig(databaseUrl, `payouts lock ${name}`),
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    // Asked again and again: one that waits inside the server keeps a snapshot, for which the engine's indexes would wait.
    while (!(await tryLock(client, lockNumber(name)))) await time.pause(AGAIN_MS);
    return await work();
  } finally {
    await client.end().catch(() => {});
  }
}

/** Takes a lock that lasts as long as its connection, if it is free. */
export async function tryLock(client: pg.Client, number: string): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [number]);
  return rows[0]?.taken === true;
}
