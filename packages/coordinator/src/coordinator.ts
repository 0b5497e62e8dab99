import { setMaxListeners } from 'node:events';
import { findConfigAddress } from '@payouts/client';
import { createApi } from './api/server.ts';
import { loadAuthority, loadPayloadKeys } from './config/keys.ts';
import { type Settings, SettingsError } from './config/settings.ts';
import { RESUMED_BY_OPERATOR, type RunKey } from './domain/run.ts';
import { LedgerClock } from './ledger/clock.ts';
import { connectBase, connectLayer } from './ledger/rpc.ts';
import { createLogger } from './log/log.ts';
import { Metrics } from './metrics.ts';
import { OwedKeepers } from './owed/keeper.ts';
import { followSchedules } from './scheduler/follow.ts';
import { runPoller } from './scheduler/poller.ts';
import { resumeRun } from './scheduler/resume.ts';
import { migrate } from './store/migrate.ts';
import { openDatabase } from './store/openDatabase.ts';
import { DatabaseInUse } from './store/processLock.ts';
import { findRun } from './store/queries/runs.ts';
import { serveWithdrawals } from './withdrawals/worker.ts';
import { startEngine } from './workflow/engine.ts';
import { StageRunner } from './workflow/runner.ts';

/** A running coordinator. */
export type Coordinator = {
  /** Where the API listens, such as http://127.0.0.1:8080. */
  readonly url: string;
  /** Takes a stopped run on: exhausted, failed, held or waiting; false if there is nothing to take on. */
  resume(key: RunKey): Promise<boolean>;
  /** Ends everything in order; what is under way is taken up by the next start. Safe to call twice. */
  stop(): Promise<void>;
};

const RETRY_RATE = 2;
/** The longest wait between two tries of a stage, in milliseconds. */
const RETRY_MAX_MS = 60_000;

/**
 * Starts the service: database, engine, poller and API. One a process, since the engine is. Throws `SettingsError` for a setting
 * that must be mended first.
 */
export async function createCoordinator(settings: Settings): Promise<Coordinator> {
  const log = createLogger({ level: settings.logLevel, pretty: settings.logPretty });
  const metrics = new Metrics();
  const stopping = new AbortController();
  const { signal } = stopping;
  // Everything that waits listens to it: many claims, calls and loops at a time.
  setMaxListeners(0, signal);
  const cleanUp: (() => Promise<unknown>)[] = [];
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= (async () => {
      stopping.abort(new DOMException('The service stops.', 'AbortError'));
      for (const end of cleanUp.reverse()) await end();
      log.info('stopped');
    })();
    return stopped;
  };

  try {
    const authority = await loadAuthority(settings);
    const payloadKeys = loadPayloadKeys(settings);
    const program = settings.programAddress;
    const config = await findConfigAddress({ programAddress: program });
    const base = connectBase({ url: settings.baseRpcUrl, signal });
    const layer = connectLayer({ url: settings.layerRpcUrl, signal });
    const clock = new LedgerClock();

    const {
      pool,
      query: database,
      kind,
      close,
    } = await openDatabase({
      databaseUrl: settings.databaseUrl,
      dataDir: settings.dataDir,
      onError: (error) => log.warn({ error: error.name }, 'a database connection was lost'),
    });
    cleanUp.push(close);
    const migrations = await migrate(database);
    log.info({ database: kind, migrations }, 'database ready');

    const shared = { program, config, authority, base, layer, database, payloadKeys, log, metrics, signal };
    const owed = new OwedKeepers(shared);

    const policy = {
      attempts: settings.stageAttempts,
      baseMs: settings.stageRetryMs,
      rate: RETRY_RATE,
      maxMs: RETRY_MAX_MS,
    };
    const runner = new StageRunner({
      context: { ...shared, owed, clock, claimsInFlight: settings.claimsInFlight },
      policy,
      holdRecheckMs: settings.holdRecheckMs,
      random: Math.random,
    });
    const engine = await startEngine({ pool, runner, policy, runConcurrency: settings.runConcurrency, log, signal });
    cleanUp.push(() => engine.stop());

    const following = followSchedules({ url: settings.baseWsUrl, program, database, log, signal });
    const polling = runPoller({
      base,
      clock,
      database,
      program,
      engine,
      intervalMs: settings.pollIntervalMs,
      log,
      metrics,
      signal,
    });
    const withdrawing = serveWithdrawals({ ...shared, owed, intervalMs: settings.withdrawalIntervalMs });
    cleanUp.push(() => Promise.allSettled([following, polling, withdrawing]));

    const api = await createApi({
      base,
      database,
      payloadKeys,
      program,
      bodyLimitBytes: settings.bodyLimitBytes,
      log,
      metrics,
    });
    cleanUp.push(() => api.close());
    const url = await api.listen({ host: settings.host, port: settings.port });
    log.info({ url, authority: authority.address, program }, 'ready');

    return {
      url,
      stop,
      async resume(key) {
        const run = await findRun(database, key);
        return run !== undefined && resumeRun({ database, engine, log }, run, RESUMED_BY_OPERATOR);
      },
    };
  } catch (error) {
    await stop();
    throw withMend(error, settings);
  }
}

/** Errors that a setting mends, in that setting's name. */
function withMend(error: unknown, settings: Settings): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof DatabaseInUse) return new SettingsError(error.message);
  if (code === 'EADDRINUSE') {
    return new SettingsError(
      `PORT ${settings.port} is taken by another program: stop it or set another PORT (0: any free one).`,
    );
  }
  return error;
}
