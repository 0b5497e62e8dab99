import { secureRandomBelow } from '@payouts/client';
import { PaymentCodes } from '../balances/paymentCodes.ts';
import { observeConditions } from '../monitoring/conditions.ts';
import { observeReadPermissions } from '../monitoring/readPermissions.ts';
import { observeVaults } from '../monitoring/vaults.ts';
import { Mailer } from '../notices/mail.ts';
import { ownerReads } from '../notices/ownerReads.ts';
import { noticeSender } from '../notices/sendNotice.ts';
import { tellPaid } from '../notices/tellPaid.ts';
import { isLoopbackUrl } from '../platform/loopback.ts';
import { runWhileLeader } from '../platform/runWhileLeader.ts';
import { Healer } from '../reconciliation/heal.ts';
import { serveReconciliation } from '../reconciliation/service.ts';
import { followSchedules } from '../runs/accountSubscriber.ts';
import { runPoller } from '../runs/poller.ts';
import { WebhookSender } from '../webhooks/send.ts';
import { WebhookWorker } from '../webhooks/worker.ts';
import { WithdrawalHistory } from '../withdrawals/history.ts';
import { tellRecoveries } from '../withdrawals/recoveries.ts';
import { TransferHistory } from '../withdrawals/transferHistory.ts';
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
    runPoller({ ...input, ...parts.services, locks: parts.store.locks, intervalMs: settings.pollIntervalMs }),
    runWhileLeader({ ...input, locks: parts.store.locks, role: 'subscriber' }, (signal) => {
      const following = { ...input, url: settings.baseWsUrl, signal };
      return Promise.all([
        followSchedules(following),
        observeVaults(following),
        observeConditions({ ...following, limits: settings }),
        tellRecoveries({ ...following, notices: parts.services.notices }),
        tellPaid({ ...following, payloadKeys: parts.store.payloadKeys, notices: parts.services.notices }),
      ]);
    }),
    observeReadPermissions({ ...input, isHere: isLoopbackUrl(settings.layerRpcUrl) }),
  ];
}

function payWithdrawals({ settings, time, log, lifecycle }: Runtime, { store, services }: Parts): Promise<void> {
  const { recording, liabilities, withdrawals, notices } = services;
  const history = new WithdrawalHistory({ book: withdrawals, notices, time, log, signal: lifecycle.stopping });
  lifecycle.atEnd(() => history.idle());
  const codes = new PaymentCodes({ ...services, ...store, database: store.database.query, time });
  return new WithdrawalWorker({
    ...recording,
    database: store.database.query,
    liabilities,
    history,
    transfers: { codes, history: new TransferHistory({ book: withdrawals, codes, time, log }) },
    draining: lifecycle.draining,
    intervalMs: settings.withdrawalIntervalMs,
    stuckSeconds: settings.withdrawalStuckSeconds,
    releaseSeconds: settings.withdrawalBatchSeconds,
    randomBelow: secureRandomBelow,
  }).run();
}

function sendWebhooks(runtime: Runtime, { ledgers, store }: Parts): Promise<void> {
  const { settings, time, lifecycle } = runtime;
  const { draining, stopping: signal } = lifecycle;
  const sender = new WebhookSender({ allowsPrivate: settings.webhookAllowPrivate, time });
  lifecycle.atEnd(() => sender.close());
  const { payloadKeys } = store;
  const database = store.database.query;
  const mailer = mailerOf(runtime);
  const [origin = ''] = settings.publicOrigins;
  const reads = ownerReads({ ...ledgers, database });
  const sendNotice = noticeSender({ database, payloadKeys, sender, mailer, origin, ownerReads: reads });
  return new WebhookWorker({ ...runtime, database, payloadKeys, sender, sendNotice, draining, signal }).run();
}

/** What hands e-mails over; undefined: none is sent. Both settings are there, or neither. */
function mailerOf({ settings: { smtpUrl, smtpFrom }, time }: Runtime): Mailer | undefined {
  return smtpUrl === undefined || smtpFrom === undefined
    ? undefined
    : new Mailer({ url: smtpUrl, from: smtpFrom, time });
}
