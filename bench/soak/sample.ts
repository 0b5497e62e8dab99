import { setTimeout as sleep } from 'node:timers/promises';
import type { Postgres } from '@payouts/testing/services';
import { readMetrics } from '../runner/metrics.ts';
import { openFiles, residentMemory } from '../runner/processes.ts';

const MB = 1e6;
/** Milliseconds until a collection is over that was asked for. */
const COLLECTED_MS = 500;

/** Has a coordinator load what collects its garbage on demand. */
export const COLLECTS = { NODE_OPTIONS: `--import=${new URL('./collect.mjs', import.meta.url).href}` } as const;

/** What a coordinator holds after so many settled windows. */
export type Sample = {
  readonly windows: number;
  readonly seconds: number;
  /** MB. */
  readonly resident: number;
  readonly heap: number;
  readonly openFiles: number;
  readonly handles: number;
  /** Open files of the ledgers' processes: each subscription and each kept connection is one there, too. */
  readonly ledgerFiles: number;
  readonly databaseBytes: number;
  readonly rows: Readonly<Record<string, number>>;
};

/** Tables that keep something of every window, for a while or until they are deleted by command; all others must not grow. */
const HISTORY: ReadonlySet<string> = new Set([
  'public.execution_runs',
  'public.execution_attempts',
  'public.run_payments',
  'public.ledger_transactions',
  'public.settled_runs',
  'public.liability_recordings',
  'public.run_events',
  'dbos.workflow_status',
  'dbos.workflow_input',
  'dbos.workflow_output',
]);

/** Rows of all tables by `schema.table`. */
const COUNT = `select table_schema || '.' || table_name as name,
    (xpath('/row/c/text()', query_to_xml(format('select count(*) as c from %I.%I', table_schema, table_name), false, true, '')))[1]::text
      as rows
  from information_schema.tables
  where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`;

export const isHistory = (table: string): boolean => HISTORY.has(table);

/** Rows in tables that must not grow. */
export const otherRows = ({ rows }: Sample): number =>
  Object.entries(rows).reduce((sum, [table, count]) => (isHistory(table) ? sum : sum + count), 0);

export type Sampled = {
  readonly url: string;
  readonly pid: number;
  readonly ledgerPids: readonly number[];
  readonly postgres: Postgres;
  readonly databaseUrl: string;
};

/** Takes a sample, of what is left when garbage is collected; `begun` is when the first window was due, in milliseconds. */
export async function takeSample(of: Sampled, windows: number, begun: number): Promise<Sample> {
  const { postgres, databaseUrl } = of;
  process.kill(of.pid, 'SIGUSR2');
  await sleep(COLLECTED_MS);
  const metric = await readMetrics(of.url);
  const counted = await postgres.rows(databaseUrl, COUNT);
  const [size] = await postgres.rows(databaseUrl, 'select pg_database_size(current_database()) as bytes');
  return {
    windows,
    seconds: (Date.now() - begun) / 1_000,
    resident: residentMemory(of.pid),
    heap: metric('service_nodejs_heap_size_used_bytes') / MB,
    openFiles: openFiles(of.pid),
    handles: metric('service_nodejs_active_handles'),
    ledgerFiles: of.ledgerPids.reduce((sum, pid) => sum + openFiles(pid), 0),
    databaseBytes: Number(size?.bytes),
    rows: Object.fromEntries(counted.map(({ name, rows }) => [String(name), Number(rows)])),
  };
}
