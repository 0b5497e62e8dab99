import { once } from 'node:events';
import { FeeRelay } from '../feeRelay/feeRelay.ts';
import type { Api } from '../http/httpServer.ts';
import { monitoringServer } from '../http/monitoringServer.ts';
import { findPages } from '../http/pages.ts';
import { createApi } from '../http/server.ts';
import { isLoopbackHost } from '../platform/loopback.ts';
import { compareAll } from '../reconciliation/compareAll.ts';
import type { Healer } from '../reconciliation/heal.ts';
import type { ConnectedLedgers } from './ledgers.ts';
import type { Runtime } from './runtime.ts';
import type { Services } from './services.ts';
import type { Store } from './store.ts';

/**
 * Connections that may wait to be taken, as far as the system lets them. A line that one client can fill has everybody else's connections
 * dropped, and tried again only after a second and more.
 */
const BACKLOG = 4_096;

type Parts = {
  readonly ledgers: ConnectedLedgers;
  readonly store: Store;
  readonly services: Services;
  readonly healer: Healer;
};

/** Serves the API; returns where it listens, such as http://127.0.0.1:3000. */
export async function serveHttp(runtime: Runtime, parts: Parts): Promise<string> {
  const { settings, time, log, metrics, lifecycle } = runtime;
  const { ledgers, store, services } = parts;
  const { base, layer, program, landed, authority, silences } = ledgers;
  const { recipients, withdrawals, balances, notices } = services;
  const { trustedProxies, requestTimeoutMs, bodyLimitBytes, signatureMaxAgeSeconds } = settings;
  const { eventStreams, webhookAllowPrivate, metricsAuthToken, metricsPublic } = settings;
  const api = await createApi({
    base,
    layer,
    silences,
    program,
    landed,
    issuer: authority,
    database: store.database.api,
    payloadKeys: store.payloadKeys,
    recipients,
    withdrawals,
    balances,
    permissions: ledgers.permissions,
    feeRelay: feeRelayOf(runtime, parts),
    onStored: () => recipients.prepare(),
    time,
    log,
    metrics,
    trustedProxies,
    requestTimeoutMs,
    bodyLimitBytes,
    signatureMaxAgeSeconds,
    origins: { listed: settings.publicOrigins, isLoopback: isLoopbackHost(settings.host) },
    eventStreams,
    eventStreamsPerClient: settings.eventStreamsPerClient,
    connectionsPerClient: settings.connectionsPerClient,
    webhookAllowPrivate,
    notices,
    sendsMail: settings.smtpUrl !== undefined,
    limits: settings,
    metricsAccess: { token: metricsAuthToken, isPublic: metricsPublic },
    dashboard: dashboardOf(runtime, parts),
    deployment: deploymentOf(settings, ledgers),
    pages: findPages(settings, log),
    draining: lifecycle.draining,
  });
  if (!metricsPublic && metricsAuthToken === undefined) {
    log.warn(
      { setting: 'METRICS_AUTH_TOKEN' },
      'the metrics are closed to everybody: set a token for them, or METRICS_PUBLIC',
    );
  }
  const close = () => api.close();
  lifecycle.whileDraining(close);
  lifecycle.atEnd(() => {
    api.server.closeAllConnections();
    return close();
  });
  const url = await api.listen({ host: settings.host, port: settings.port, backlog: BACKLOG });
  if (settings.monitoringPort !== undefined) await serveMonitoring(api, settings.monitoringPort, runtime);
  return url;
}

async function serveMonitoring(api: Api, port: number, { settings, lifecycle }: Runtime): Promise<void> {
  const server = monitoringServer(api).listen(port, settings.host);
  lifecycle.atEnd(async () => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
}

const urlsOf = (setting: string | undefined): string[] => setting?.split(',') ?? [];

const deploymentOf = (settings: Runtime['settings'], { readGenesis }: ConnectedLedgers) => ({
  readGenesis,
  browserRpcUrls: urlsOf(settings.browserRpcUrl),
  browserLayerUrls: urlsOf(settings.browserLayerUrl),
  layerIsPrivate: settings.layerSignIn,
});

function feeRelayOf({ time, log, lifecycle }: Runtime, { ledgers, store }: Parts): FeeRelay | undefined {
  const { relay: signer, base, fees, program } = ledgers;
  if (signer === undefined) return undefined;
  const { draining } = lifecycle;
  return new FeeRelay({ signer, base, fees, program, time, log, draining, database: store.database.api });
}

function dashboardOf({ settings, time, lifecycle }: Runtime, { ledgers, store, healer }: Parts) {
  const comparing = {
    ...ledgers,
    database: store.database.query,
    withEngine: true,
    pause: (milliseconds: number) => time.pause(milliseconds, lifecycle.draining),
  };
  return {
    isPublic: settings.dashboardPublic,
    operators: settings.operators,
    ledgerNow: () => ledgers.clock.now(),
    compare: (fix: boolean, enough: AbortSignal) =>
      compareAll({ ...comparing, healer: fix ? healer : undefined }, { enough }),
  };
}
