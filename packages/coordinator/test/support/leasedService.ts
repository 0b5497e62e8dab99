import { setTimeout as sleep } from 'node:timers/promises';
import type { SharedPostgres } from '@payouts/testing/postgres';
import { vi } from 'vitest';
import { type Child, saying, startChild } from './child.ts';

export { saying };

/** Longer than a process is ever silent that works. */
export const LEASE_MS = 6_000;
/** What a takeover may take beyond the lease: it takes about a second, but nothing else than the lease's end would ever bring it. */
export const SLACK_MS = 30_000;
export const LOST = 'the lease on runs expired and another process took them over; starting again with none';
export const SILENT = 'a process was silent for longer than its lease';

const ready = saying({ ready: true });

/** Starts children/service.ts over a database; the claims of a `slow` one end when it is told so. */
export async function startService(
  databaseUrl: string,
  instanceName: string,
  mode: 'slow' | '' = '',
  leaseMs = LEASE_MS,
): Promise<Child> {
  const child = startChild('service.ts', [mode], {
    DATABASE_URL: databaseUrl,
    INSTANCE_NAME: instanceName,
    LEASE_SECONDS: String(leaseMs / 1_000),
  });
  const first = await child.said((message) => ready(message) || 'failed' in message);
  if (!ready(first)) throw new Error(String(first.failed));
  return child;
}

/** The stages of a window that a process has begun, in order. */
export const stagesOf = (child: Child, window: string) =>
  child.messages.filter(saying({ window })).flatMap(({ stage }) => stage ?? []);

/** Runs that are in line or at work. */
export const jobs = (postgres: Pick<SharedPostgres, 'rows'>, databaseUrl: string) =>
  postgres.rows(databaseUrl, 'select key, locked_by, attempts from graphile_worker.jobs');

/** Waits until something holds: a takeover has happened, or fails. */
export const until = (holds: () => boolean | Promise<boolean>) =>
  vi.waitUntil(holds, { timeout: LEASE_MS + SLACK_MS, interval: 20 });

/** Waits until a process has been there for long enough to judge others. */
export const settledIn = () => sleep(LEASE_MS + 1_500);
