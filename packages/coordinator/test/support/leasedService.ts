import { setTimeout as sleep } from 'node:timers/promises';
import type { SharedPostgres } from '@payouts/testing/postgres';
import { type Child, startChild } from './child.ts';

export const LEASE_MS = 3_000;
/** What a takeover may take beyond the lease: it takes about a second, but nothing else than the lease's end would ever bring it. */
export const SLACK_MS = 30_000;
export const LOST = 'the lease on runs expired and another process took them over; starting again with none';
export const SILENT = 'a process was silent for longer than its lease';

type Message = Readonly<Record<string, unknown>>;
/** Whether a message has these fields. */
export const saying = (wanted: Message) => (message: unknown) =>
  Object.entries(wanted).every(([key, value]) => (message as Message)[key] === value);
const ready = saying({ ready: true });

/** Starts children/service.ts over a database; the claims of a `slow` one end when it is told so. */
export async function startService(databaseUrl: string, instanceName: string, mode: 'slow' | '' = ''): Promise<Child> {
  const child = startChild('service.ts', [mode], {
    DATABASE_URL: databaseUrl,
    INSTANCE_NAME: instanceName,
    LEASE_SECONDS: String(LEASE_MS / 1_000),
  });
  const first = await child.said((message) => ready(message) || 'failed' in (message as Message));
  if (!ready(first)) throw new Error(String((first as Message).failed));
  return child;
}

/** The stages of a window that a process has begun, in order. */
export const stagesOf = (child: Child, window: string) =>
  child.messages.filter(saying({ window })).flatMap((message) => (message as { stage?: string }).stage ?? []);

/** Runs that are in line or at work. */
export const jobs = (postgres: Pick<SharedPostgres, 'rows'>, databaseUrl: string) =>
  postgres.rows(databaseUrl, 'select key, locked_by, attempts from graphile_worker.jobs');

export async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + LEASE_MS + SLACK_MS;
  while (!(await what())) {
    if (performance.now() > deadline) throw new Error('waited in vain');
    await sleep(20);
  }
}

/** Waits until a process has been there for long enough to judge others. */
export const settledIn = () => sleep(LEASE_MS + 1_500);
