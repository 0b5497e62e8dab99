// Opens the database of the settings and runs an engine over it, as the service does. Its stages only say that they begin and end; `slow`
// claims end when they are told to. A window's number puts its run in line, `claim` lets claims end, `stop` ends the process in order.

import { systemTime } from '@payouts/client';
import { sql } from 'kysely';
import { readSettings } from '../../dist/config/settings.js';
import { unshared } from '../../dist/platform/lease.js';
import { createLogger } from '../../dist/platform/log/log.js';
import { createMetrics } from '../../dist/platform/metrics.js';
import { startEngine } from '../../dist/runs/engine.js';
import { startupError } from '../../dist/startupError.js';
import { InstanceLease, newExecutor } from '../../dist/store/db/leases.js';
import { openDatabase } from '../../dist/store/db/openDatabase.js';
import { readyDatabase } from '../../dist/store/db/prepare.js';
import { createRuns } from '../../dist/store/queries/runs.js';

const [mode = ''] = process.argv.slice(2);
const settings = readSettings({
  PAYLOAD_KEY: 'unused',
  EXECUTION_AUTHORITY_KEY: 'unused',
  BASE_RPC_URL: 'http://127.0.0.1:1',
  LAYER_RPC_URL: 'http://127.0.0.1:2',
  ...process.env,
});
const { databaseUrl, instanceName, leaseSeconds } = settings;
/** Whose windows are run. */
const schedule = 'schedule';
const draining = new AbortController();
const say = (message: Readonly<Record<string, unknown>>) => process.send?.(message);
const log = createLogger({
  level: 'info',
  pretty: false,
  time: systemTime,
  to: { write: (line) => say(JSON.parse(line)) },
});

async function main(): Promise<void> {
  const executor = newExecutor(instanceName);
  const database = await openDatabase({ ...settings, processName: executor, onError: () => {} });
  await readyDatabase(database, settings, systemTime);
  const metrics = createMetrics();
  const lease =
    databaseUrl === undefined
      ? undefined
      : await InstanceLease.take({
          databaseUrl,
          instanceName,
          executor,
          leaseMs: leaseSeconds * 1_000,
          time: systemTime,
          log,
          metrics,
        });
  await sql`insert into schedules (address, vault, mint, root, root_version, status, phase, window_number, next_execution, executions_left,
      recipients, amount, unit, every, day, batch_timeout, seen_slot, seen_at, registered_at)
    values (${schedule}, '', '', '', 0, 'active', 'idle', 0, 0, 9, 1, 1, 'days', 1, 0, 60, 1, 1, 1) on conflict do nothing`.execute(
    database.query,
  );
  let letClaimsEnd = () => {};
  const claims = new Promise<void>((resolve) => {
    letClaimsEnd = resolve;
  });
  const engine = await startEngine({
    pool: database.pool,
    database: database.query,
    runConcurrency: 4,
    lease: lease ?? unshared,
    time: systemTime,
    log,
    draining: draining.signal,
    metrics,
    runner: {
      async attempt({ window }, stage) {
        say({ stage, window: window.toString() });
        if (mode === 'slow' && stage === 'claim') await claims;
        say({ ended: stage, window: window.toString() });
        return { result: 'done' };
      },
    },
  });
  const stop = async () => {
    draining.abort();
    await engine.drained(1_000);
    await lease?.release();
    await database.close();
    process.exit(0);
  };
  process.on('message', (message: string) => {
    if (message === 'stop') void stop();
    else if (message === 'claim') letClaimsEnd();
    else
      void createRuns(database.query, [{ schedule, window: BigInt(message), recipients: 1 }], Date.now()).then(() =>
        say({ enqueued: message }),
      );
  });
  say({ ready: true });
}

process.once('disconnect', () => process.exit(1));
main().catch((error: unknown) => {
  const trouble = startupError(error, settings) as Error;
  say({ failed: trouble.message });
  setTimeout(() => process.exit(1), 100);
});
