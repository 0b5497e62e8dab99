import { findConfigAddress } from '@payouts/client';
import { createApi } from './api/server.ts';
import { Payables } from './balances/payables.ts';
import { loadAuthority, loadPayloadKeys } from './config/keys.ts';
import type { Settings } from './config/settings.ts';
import { LedgerClock } from './ledger/clock.ts';
import { connectBase, connectLayer } from './ledger/rpc.ts';
import { Lifecycle } from './lifecycle.ts';
import { createLogger } from './log/log.ts';
import { Metrics } from './metrics.ts';
import { observeAuthority } from './observe/authority.ts';
import { observeProcess } from './observe/process.ts';
import { observeStore } from './observe/store.ts';
import { OwedKeepers } from './owed/keeper.ts';
import { followSchedules } from './scheduler/follow.ts';
import { runPoller } from './scheduler/poller.ts';
import { startTrouble } from './startTrouble.ts';
import { openDatabase } from './store/openDatabase.ts';
import { readyDatabase } from './store/prepare.ts';
import { lockInstance } from './store/serverLock.ts';
import { sqlOwedStore } from './store/sqlOwedStore.ts';
import { sqlRunStore } from './store/sqlRunStore.ts';
import { systemTime } from './time.ts';
import { serveWithdrawals } from './withdrawals/worker.ts';
import { startEngine } from './workflow/engine.ts';
import { StageRunner } from './workflow/runner.ts';

/** A running coordinator. */
export type Coordinator = {
  /** Where the API listens, such as http://127.0.0.1:8080. */
  readonly url: string;
  /**
   * Ends everything in order: stages and requests under way may end within SHUTDOWN_GRACE_MS; what they leave is taken up by the
   * next start. Safe to call twice.
   */
  stop(): Promise<void>;
};

const RETRY_RATE = 2;
/** Milliseconds that stages which are broken off have to note it. */
const BREAK_OFF_WITHIN_MS = 2_000;
/** The longest wait between two tries of a stage, in milliseconds. */
const RETRY_MAX_MS = 60_000;

/**
 * Starts the service: database, engine, poller and API. One a process, since the engine is. Throws `SettingsError` for a setting
 * that must be mended first.
 */
export async function createCoordinator(settings: Settings): Promise<Coordinator> {
  const log = createLogger({ level: settings.logLevel, pretty: settings.logPretty });
  const metrics = new Metrics();
  observeProcess(metrics);
  const lifecycle = new Lifecycle(settings.shutdownGraceMs);
  const { draining, stopping: signal } = lifecycle;
  const stop = async () => {
    log.info('stopping');
    if (!(await lifecycle.stop())) log.warn('what was under way has been broken off; the next start takes it up');
    log.info('stopped');
  };

  try {
    const authority = await loadAuthority(settings);
    const payloadKeys = await loadPayloadKeys(settings);
    const program = settings.programAddress;
    const config = await findConfigAddress({ programAddress: program });
    const base = connectBase({ url: settings.baseRpcUrl, signal, metrics });
    const layer = connectLayer({ url: settings.layerRpcUrl, signal, metrics });
    const time = systemTime;
    const clock = new LedgerClock(time);

    const opened = await openDatabase({
      ...settings,
      onError: (error) => log.warn({ error: error.name }, 'a database connection was lost'),
    });
    const { pool, query: database } = opened;
    lifecycle.atEnd(opened.close);
    const migrations = await readyDatabase(opened, settings);
    log.info({ database: opened.kind, migrations }, 'database ready');
    if (settings.databaseUrl !== undefined) {
      const { databaseUrl, instanceName } = settings;
      const lock = await lockInstance({
        databaseUrl,
        instanceName,
        onChange: (isHeld) =>
          isHeld
            ? log.info("this process's name is locked again")
            : log.warn("the lock on this process's name was lost"),
      });
      lifecycle.atEnd(() => lock.release());
    }

    observeStore({ metrics, store: opened, now: () => clock.now() });
    const shared = { program, config, authority, base, layer, time, log, metrics, signal };
    const keeping = { ...shared, store: sqlOwedStore(database, payloadKeys) };
    const owed = new OwedKeepers(keeping);
    const payables = new Payables({ database, payloadKeys, program, log, signal });
    lifecycle.atEnd(() => payables.idle());

    const policy = {
      attempts: settings.stageAttempts,
      baseMs: settings.stageRetryMs,
      rate: RETRY_RATE,
      maxMs: RETRY_MAX_MS,
    };
    const runner = new StageRunner({
      context: {
        ...shared,
        store: sqlRunStore(database),
        payloadKeys,
        owed,
        payables,
        clock,
        claimsInFlight: settings.claimsInFlight,
      },
      policy,
      holdRecheckMs: settings.holdRecheckMs,
      draining,
    });
    const { runConcurrency, instanceName } = settings;
    const engine = await startEngine({ pool, runner, policy, runConcurrency, instanceName, log, draining, signal });
    lifecycle.atEnd(async () => {
      await engine.drain(BREAK_OFF_WITHIN_MS);
      await engine.stop();
    });
    lifecycle.whileDraining(() => engine.drain(settings.shutdownGraceMs));

    const following = followSchedules({ url: settings.baseWsUrl, program, database, log, metrics, signal: draining });
    const observing = observeAuthority({ base, authority: authority.address, metrics, signal: draining });
    const polling = runPoller({
      base,
      clock,
      database,
      program,
      engine,
      intervalMs: settings.pollIntervalMs,
      log,
      metrics,
      signal: draining,
    });
    const withdrawing = serveWithdrawals({
      ...keeping,
      database,
      owed,
      draining,
      intervalMs: settings.withdrawalIntervalMs,
    });
    const loops = () => Promise.allSettled([following, observing, polling, withdrawing]);
    lifecycle.whileDraining(loops);
    lifecycle.atEnd(loops);

    const api = await createApi({
      base,
      database: opened.api,
      payloadKeys,
      program,
      onStored: (list, records) => payables.prepare(list, records),
      limits: settings,
      trustedProxies: settings.trustedProxies,
      bodyLimitBytes: settings.bodyLimitBytes,
      signatureMaxAgeSeconds: settings.signatureMaxAgeSeconds,
      requestTimeoutMs: settings.requestTimeoutMs,
      draining,
      log,
      metrics,
      metricsAccess: { token: settings.metricsAuthToken, isPublic: settings.metricsPublic },
    });
    if (!settings.metricsPublic && settings.metricsAuthToken === undefined) {
      log.warn(
        { setting: 'METRICS_AUTH_TOKEN' },
        'the metrics are closed to everybody: set a token for them, or METRICS_PUBLIC',
      );
    }
    const closeApi = () => api.close();
    lifecycle.whileDraining(closeApi);
    lifecycle.atEnd(() => {
      api.server.closeAllConnections();
      return closeApi();
    });
    const url = await api.listen({ host: settings.host, port: settings.port });
    log.info({ url, authority: authority.address, program }, 'ready');

    return { url, stop };
  } catch (error) {
    await lifecycle.stop();
    throw startTrouble(error, settings);
  }
}
