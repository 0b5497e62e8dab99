import { secureRandomBelow } from '@payouts/client';
import { observeConditions } from '../monitoring/conditions.ts';
import { observeReadPermissions } from '../monitoring/readPermissions.ts';
import { observeVaults } from '../monitoring/vaults.ts';
import { isLoopbackUrl } from '../platform/loopback.ts';
import { runWhileLeader } from '../platform/runWhileLeader.ts';
import { Healer } from '../reconciliation/heal.ts';
import { serveReconciliation } from '../reconciliation/service.ts';
import { followSchedules } from '../runs/accountSubscriber.ts';
import { runPoller } from '../runs/poller.ts';
import { WebhookSender } from '../webhooks/send.ts';
import { WebhookWorker } from '../webhooks/worker.ts';
import { WithdrawalHistory } from '../withdrawals/history.ts';
import { WithdrawalWorker } from '../withdrawals/worker.ts';
import type { ConnectedLedgers } from './ledgers.ts';
import type { Runtime } from './runtime.ts';
import type { Services } from './services.ts';
import type { Store } from './store.ts';

type Parts = {
  readonly ledgers: ConnectedLedgers;
  readonly store: Store;
  readonly services: Services;
};

/** Starts everything that works in the background until the service drains. Returns what the API needs of it. */
export function startWorkers(runtime: Runtime, parts: Parts): { readonly healer: Healer } {
  const { settings, lifecycle } = runtime;
  const healer = new Healer({ ...shared(runtime, parts), payloadKeys: parts.store.payloadKeys });
  const loops = [
    ...followLedgers(runtime, parts),
    serveReconciliation({
      ...shared(runtime, parts),
      healer,
      executor: parts.store.executor,
      intervalMs: settings.reconcileIntervalSeconds * 1_000,
    }),
    payWithdrawals(runtime, parts),
    parts.services.liabilities.serve(lifecycle.draining),
    sendWebhooks(runtime, parts),
  ];
  const ended = () => Promise.allSettled(loops);
  lifecycle.whileDraining(ended);
  lifecycle.atEnd(ended);
  return { healer };
}

/** What most workers take; they end when the service drains. */
const shared = ({ time, log, metrics, lifecycle }: Runtime, { ledgers, store }: Parts) => ({
  ...ledgers,
  database: store.database.query,
  time,
  log,
  metrics,
  signal: lifecycle.draining,
});

/** Looks for due windows, and follows what the ledgers tell by themselves. */
function followLedgers(runtime: Runtime, parts: Parts): Promise<unknown>[] {
  const { settings } = runtime;
  const input = shared(runtime, parts);
  return [
    runPoller({ ...input, intervalMs: settings.pollIntervalMs }),
    runWhileLeader({ ...input, locks: parts.store.locks, role: 'subscriber' }, (signal) => {
      const following = { ...input, url: settings.baseWsUrl, signal };
      return Promise.all([
        followSchedules(following),
        observeVaults(following),
        observeConditions({ ...following, limits: settings }),
      ]);
    }),
    observeReadPermissions({ ...input, isHere: isLoopbackUrl(settings.layerRpcUrl) }),
  ];
}

function payWithdrawals({ settings, time, log, lifecycle }: Runtime, { store, services }: Parts): Promise<void> {
  const { recording, liabilities, withdrawals } = services;
  const history = new WithdrawalHistory({ book: withdrawals, time, log, signal: lifecycle.stopping });
  lifecycle.atEnd(() => history.idle());
  return new WithdrawalWorker({
    ...recording,
    database: store.database.query,
    liabilities,
    history,
    draining: lifecycle.draining,
    intervalMs: settings.withdrawalIntervalMs,
    stuckSeconds: settings.withdrawalStuckSeconds,
    releaseSeconds: settings.withdrawalBatchSeconds,
    randomBelow: secureRandomBelow,
  }).run();
}

function sendWebhooks(runtime: Runtime, { store }: Parts): Promise<void> {
  const { settings, time, lifecycle } = runtime;
  const { draining, stopping: signal } = lifecycle;
  const sender = new WebhookSender({ allowsPrivate: settings.webhookAllowPrivate, time });
  lifecycle.atEnd(() => sender.close());
  const { database, payloadKeys } = store;
  return new WebhookWorker({ ...runtime, database: database.query, payloadKeys, sender, draining, signal }).run();
}
