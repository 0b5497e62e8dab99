import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { connectionConfig } from './serverPool.ts';

/** Another live process on this database has the same name. */
export class InstanceNameTaken extends Error {
  override readonly name = 'InstanceNameTaken';
}

/** Milliseconds between two attempts to get a lock back, and that a process which just died is given to let go of it. */
const AGAIN_MS = 500;
const LET_GO_WITHIN_MS = 3_000;
const ANSWER_MS = 5_000;

/** A lock's number for PostgreSQL. */
function numberOf(name: string): string {
  return createHash('sha256').update(`payouts ${name}`).digest().readBigInt64BE(0).toString();
}

/** Works while no other process holds the lock of this name. */
export async function withAdvisoryLock<T>(databaseUrl: string, name: string, work: () => Promise<T>): Promise<T> {
  const client = await connected(databaseUrl, `payouts lock ${name}`);
  try {
    // Asked again and again: one that waits inside the server keeps a snapshot, for which the engine's indexes would wait.
    while (!(await tryLock(client, numberOf(name)))) await sleep(AGAIN_MS);
    return await work();
  } finally {
    await client.end().catch(() => {});
  }
}

async function connected(databaseUrl: string, name: string): Promise<pg.Client> {
  const client = new pg.Client({
    ...connectionConfig(databaseUrl, name),
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    await client.end().catch(() => {});
    throw error;
  }
  return client;
}

/** Takes a lock that lasts as long as its connection, if it is free. */
async function tryLock(client: pg.Client, number: string): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [number]);
  return rows[0]?.taken === true;
}

/** A process's hold on its name. */
export type InstanceLock = { release(): Promise<void> };

export type InstanceLockInput = {
  readonly databaseUrl: string;
  readonly instanceName: string;
  /** The lock was lost with its connection, or is back. */
  readonly onChange: (isHeld: boolean) => void;
};

/**
 * Takes a name among the processes that share a database, until it is released or the process dies. Two of the same name would
 * take up each other's runs. The lock is lost with its connection and taken again as soon as possible; runs stand it meanwhile,
 * since every stage asks the ledgers first. Throws `InstanceNameTaken`.
 */
export async function lockInstance({ databaseUrl, instanceName, onChange }: InstanceLockInput): Promise<InstanceLock> {
  const number = numberOf(`instance ${instanceName}`);
  let holder: pg.Client | undefined;
  let isReleased = false;

  const tryOnce = async (): Promise<boolean> => {
    const client = await connected(databaseUrl, `payouts ${instanceName} lock`);
    const isTaken = await tryLock(client, number).catch(() => false);
    if (!isTaken) {
      await client.end().catch(() => {});
      return false;
    }
    holder = client;
    client.once('end', () => lost(client));
    return true;
  };

  const lost = (client: pg.Client) => {
    if (isReleased || holder !== client) return;
    holder = undefined;
    onChange(false);
    void again();
  };
  const again = async () => {
    while (!isReleased) {
      await sleep(AGAIN_MS, undefined, { ref: false });
      if (!isReleased && (await tryOnce().catch(() => false))) {
        if (isReleased) await holder?.end().catch(() => {});
        else onChange(true);
        return;
      }
    }
  };

  const deadline = Date.now() + LET_GO_WITHIN_MS;
  while (!(await tryOnce())) {
    if (Date.now() >= deadline) {
      throw new InstanceNameTaken(
        `Another process named ${instanceName} works on this database: stop it, or give this one an INSTANCE_NAME of its own.`,
      );
    }
    await sleep(AGAIN_MS);
  }
  return {
    async release() {
      isReleased = true;
      await holder?.end().catch(() => {});
    },
  };
}
