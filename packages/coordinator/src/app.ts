import { findConfigAddress, secureRandomBelow, type Time } from '@payouts/client';
import { loadAuthority, loadPayloadKeys } from './config/keys.ts';
import type { Settings } from './config/specs.ts';
import { isHere } from './config/warnings.ts';
import { retryPolicies } from './domain/backoff.ts';
import { findPage } from './http/dashboardPage.ts';
import { createApi } from './http/server.ts';
import { sessionOf, trustOf } from './ledger/attestation/settings.ts';
import { LedgerClock } from './ledger/clock.ts';
import { coalesced } from './ledger/coalesce.ts';
import type { Failpoint } from './ledger/failpoints.ts';
import { connectHistory } from './ledger/history.ts';
import { connectLanded } from './ledger/landed.ts';
import { ReadPermissions } from './ledger/readPermissions.ts';
import { connectBase, connectLayer } from './ledger/rpc.ts';
import { LiabilityRecorders } from './liabilities/recorders.ts';
import { listFinder } from './lists/found.ts';
import { PayableLists } from './lists/payableLists.ts';
import { RecipientIndex } from './lists/recipientIndex.ts';
import { observeAuthority } from './monitoring/authority.ts';
import { observeProcess } from './monitoring/process.ts';
import { observeReadPermissions } from './monitoring/readPermissions.ts';
import { observeStore } from './monitoring/store.ts';
import { observeVaults } from './monitoring/vaults.ts';
import { ALONE, type Locks } from './platform/leadership.ts';
import { type Lease, unshared } from './platform/lease.ts';
import { Lifecycle } from './platform/lifecycle.ts';
import { createLogger } from './platform/log/log.ts';
import { Metrics } from './platform/metrics.ts';
import { runWhileLeader } from './platform/runWhileLeader.ts';
import { Semaphore } from './platform/semaphore.ts';
import { compareAll } from './reconciliation/compareAll.ts';
import { Healer } from './reconciliation/heal.ts';
import { serveReconciliation } from './reconciliation/service.ts';
import { followSchedules } from './runs/accountSubscriber.ts';
import { startEngine } from './runs/engine.ts';
import { runPoller } from './runs/poller.ts';
import { StageRunner } from './runs/runner.ts';
import { startupError } from './startupError.ts';
import { ServerLocks } from './store/db/advisoryLocks.ts';
import { InstanceLease, newExecutor } from './store/db/leases.ts';
import { openDatabase } from './store/db/openDatabase.ts';
import { readyDatabase } from './store/db/prepare.ts';
import { sqlLiabilityStore } from './store/sqlLiabilityStore.ts';
import { sqlRunStore } from './store/sqlRunStore.ts';
import { WebhookSender } from './webhooks/send.ts';
import { WebhookWorker } from './webhooks/worker.ts';
import { WithdrawalHistory } from './withdrawals/history.ts';
import { WithdrawalBook } from './withdrawals/withdrawalBook.ts';
import { serveWithdrawals } from './withdrawals/worker.ts';

/** A running coordinator. */
export type Coordinator = {
  /** Where the API listens, such as http://127.0.0.1:3000. */
  readonly url: string;
  /**
   * Ends everything in order: stages and requests under way may end within SHUTDOWN_GRACE_MS; what they leave is taken up by
   * another process or the next start. Safe to call twice.
   */
  stop(): Promise<void>;
};

/** Recipients of lists that are being paid at a time, at most: three of the largest lists. */
const RECIPIENTS_IN_MEMORY = 240_000;
/** Milliseconds that stages which are broken off have to note it. */
const BREAK_OFF_WITHIN_MS = 2_000;

/**
 * Starts the service: database, engine, poller and API. One a process, since the engine is. Throws `SettingsError` for a setting
 * that must be mended first. `time` may be a test's to turn; `reached` is for tests alone.
 */
export async function createCoordinator(
  settings: Settings,
  { time, failpoint }: { readonly time: Time; readonly failpoint?: Failpoint },
): Promise<Coordinator> {
  const log = createLogger({ level: settings.logLevel, pretty: settings.logPretty, time });
  const metrics = new Metrics();
  observeProcess(metrics);
  const lifecycle = new Lifecycle(settings.shutdownGraceMs, time);
  const { draining, stopping: signal } = lifecycle;
  const stop = async () => {
    log.info('stopping');
    if (!(await lifecycle.stop())) log.warn('what was under way has been broken off; it is taken up again');
    log.info('stopped');
  };

  try {
    const authority = await loadAuthority(settings, time);
    const payloadKeys = await loadPayloadKeys(settings, time);
    const program = settings.programAddress;
    const config = await findConfigAddress({ programAddress: program });
    const toBase = { url: settings.baseRpcUrl, time, signal, metrics };
    const base = coalesced(connectBase(toBase), { time, metrics });
    const session = sessionOf(settings, { authority, time, signal });
    const toLayer = { url: settings.layerRpcUrl, time, signal, metrics, session };
    const layer = coalesced(connectLayer(toLayer), { time, metrics });
    const trust = trustOf(settings, { base, config, time, signal, log, metrics });
    const permissions = new ReadPermissions({ layer, connection: toLayer });
    const clock = new LedgerClock(time);

    const executor = newExecutor(settings.instanceName);
    const opened = await openDatabase({
      ...settings,
      processName: executor,
      onError: (error) => log.warn({ error: error.name }, 'a database connection was lost'),
    });
    const { pool, query: database } = opened;
    lifecycle.atEnd(opened.close);
    const migrations = await readyDatabase(opened, settings, time);
    log.info({ database: opened.kind, migrations }, 'database ready');
    let lease: Lease = unshared;
    let locks: Locks = ALONE;
    if (settings.databaseUrl !== undefined) {
      const { databaseUrl, instanceName, leaseSeconds } = settings;
      const taken = await InstanceLease.take({
        databaseUrl,
        instanceName,
        executor,
        leaseMs: leaseSeconds * 1_000,
        time,
        log,
        metrics,
      });
      lifecycle.atEnd(() => taken.release());
      lease = taken;
      const serverLocks = new ServerLocks({ databaseUrl, processName: executor, time });
      lifecycle.atEnd(() => serverLocks.close());
      locks = serverLocks;
    }

    observeStore({ metrics, store: opened, now: () => clock.now(), time });
    const shared = { program, config, authority, base, layer, time, failpoint, log, metrics, signal };
    const payableLists = new PayableLists({ database, payloadKeys, program, time, log, signal });
    lifecycle.atEnd(() => payableLists.idle());
    const recipients = new RecipientIndex({ database, payloadKeys, time, log, signal });
    lifecycle.atEnd(() => recipients.idle());
    recipients.prepare();
    const keeping = {
      ...shared,
      store: sqlLiabilityStore(database, payloadKeys),
      locks,
      findList: listFinder(database, payableLists),
    };
    const liabilities = new LiabilityRecorders(keeping);

    const policies = retryPolicies({
      attempts: settings.stageAttempts,
      firstMs: settings.stageRetryMs,
      patienceMs: settings.stagePatienceMs,
      holdRecheckMs: settings.holdRecheckMs,
    });
    const runner = new StageRunner({
      context: {
        ...shared,
        store: sqlRunStore(database),
        payloadKeys,
        liabilities,
        payableLists,
        trust,
        permissions,
        clock,
        listRoom: new Semaphore(RECIPIENTS_IN_MEMORY),
        keptPayments: new Map(),
        claimsInFlight: settings.claimsInFlight,
      },
      policies,
      draining,
    });
    const { runConcurrency } = settings;
    const engine = await startEngine({ pool, runner, runConcurrency, lease, time, log, failpoint, draining, signal });
    lifecycle.atEnd(async () => {
      await engine.drain(BREAK_OFF_WITHIN_MS);
      await engine.stop();
    });
    lifecycle.whileDraining(() => engine.drain(settings.shutdownGraceMs));

    const observing = observeAuthority({ base, authority: authority.address, time, metrics, signal: draining });
    const permitting = observeReadPermissions({
      permissions,
      isHere: isHere(settings.layerRpcUrl),
      time,
      log,
      metrics,
      signal: draining,
    });
    const watchBase = { url: settings.baseWsUrl, base, clock, database, program, time, log, metrics };
    const watching = runWhileLeader({ locks, role: 'subscriber', time, log, signal: draining }, (held) =>
      Promise.all([followSchedules({ ...watchBase, signal: held }), observeVaults({ ...watchBase, signal: held })]),
    );
    const polling = runPoller({
      base,
      clock,
      database,
      program,
      engine,
      intervalMs: settings.pollIntervalMs,
      time,
      log,
      metrics,
      signal: draining,
    });
    const history = connectHistory(toBase);
    const { enqueue } = engine;
    const healer = new Healer({ ...shared, database, history, payloadKeys, enqueue });
    const reconciling = serveReconciliation({
      ...shared,
      database,
      healer,
      executor,
      intervalMs: settings.reconcileIntervalSeconds * 1_000,
      signal: draining,
    });
    const withdrawals = new WithdrawalBook({ database, payloadKeys, time });
    const noting = new WithdrawalHistory({ book: withdrawals, time, log, signal });
    lifecycle.atEnd(() => noting.idle());
    const withdrawing = serveWithdrawals({
      ...keeping,
      database,
      liabilities,
      history: noting,
      draining,
      intervalMs: settings.withdrawalIntervalMs,
      releaseSeconds: settings.withdrawalBatchSeconds,
      randomBelow: secureRandomBelow,
    });
    const sender = new WebhookSender({ allowsPrivate: settings.webhookAllowPrivate, time });
    lifecycle.atEnd(() => sender.close());
    const webhooks = new WebhookWorker({ database, payloadKeys, sender, time, log, metrics, draining, signal });
    const telling = webhooks.run();
    const settling = liabilities.serve(draining);
    const loops = () =>
      Promise.allSettled([watching, observing, permitting, polling, reconciling, withdrawing, settling, telling]);
    lifecycle.whileDraining(loops);
    lifecycle.atEnd(loops);

    const api = await createApi({
      base,
      layer,
      database: opened.api,
      payloadKeys,
      program,
      recipients,
      withdrawals,
      onStored: (list, records) => {
        payableLists.prepare(list, records);
        recipients.prepare();
      },
      landed: connectLanded(toBase),
      issuer: authority,
      limits: settings,
      trustedProxies: settings.trustedProxies,
      bodyLimitBytes: settings.bodyLimitBytes,
      signatureMaxAgeSeconds: settings.signatureMaxAgeSeconds,
      requestTimeoutMs: settings.requestTimeoutMs,
      draining,
      time,
      log,
      metrics,
      metricsAccess: { token: settings.metricsAuthToken, isPublic: settings.metricsPublic },
      dashboard: {
        isPublic: settings.dashboardPublic,
        operators: settings.operators,
        ledgerNow: () => clock.now(),
        compare: (fix, enough) => {
          const pause = (milliseconds: number) => time.pause(milliseconds, draining);
          const comparing = { ...shared, database, withEngine: true, pause };
          return compareAll({ ...comparing, healer: fix ? healer : undefined }, { enough });
        },
        pageFolder: findPage(settings, log),
      },
      eventStreams: settings.eventStreams,
      webhookAllowPrivate: settings.webhookAllowPrivate,
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
    throw startupError(error, settings);
  }
}
