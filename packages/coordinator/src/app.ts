import type { Time } from '@payouts/client';
import { serveHttp } from './app/http.ts';
import { connectLedgers } from './app/ledgers.ts';
import { startRuns } from './app/runs.ts';
import type { Runtime } from './app/runtime.ts';
import { createServices } from './app/services.ts';
import { openStore } from './app/store.ts';
import { startWorkers } from './app/workers.ts';
import type { Settings } from './config/specs.ts';
import type { Failpoint } from './ledger/failpoints.ts';
import { observeProcess } from './monitoring/process.ts';
import { observeStore } from './monitoring/store.ts';
import { Lifecycle } from './platform/lifecycle.ts';
import { createLogger } from './platform/log/log.ts';
import { createMetrics } from './platform/metrics.ts';
import { startupError } from './startupError.ts';

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

/**
 * Starts the service: database, engine, poller and API. Throws `SettingsError` for a setting
 * that must be corrected first. `time` may be a test's to turn; `failpoint` is for tests alone.
 */
export async function createCoordinator(
  settings: Settings,
  { time, failpoint }: { readonly time: Time; readonly failpoint?: Failpoint },
): Promise<Coordinator> {
  const log = createLogger({ level: settings.logLevel, pretty: settings.logPretty, time });
  const metrics = createMetrics();
  const lifecycle = new Lifecycle(settings.shutdownGraceMs, time);
  const runtime: Runtime = { settings, time, failpoint, log, metrics, lifecycle };
  try {
    observeProcess(metrics);
    const ledgers = await connectLedgers(runtime);
    const store = await openStore(runtime);
    metrics.layerBalances.set({ kind: 'room' }, settings.layerBalances);
    observeStore({ metrics, store: store.database, now: () => ledgers.clock.now(), time });
    const services = createServices(runtime, ledgers, store);
    await startRuns(runtime, ledgers, store, services);
    const { healer } = startWorkers(runtime, { ledgers, store, services });
    const url = await serveHttp(runtime, { ledgers, store, services, healer });
    log.info({ url, authority: ledgers.authority.address, program: ledgers.program }, 'ready');
    return { url, stop: () => stop(runtime) };
  } catch (error) {
    await lifecycle.stop();
    throw startupError(error, settings);
  }
}

async function stop({ log, lifecycle }: Runtime): Promise<void> {
  log.info('stopping');
  if (!(await lifecycle.stop())) log.warn('unfinished work was interrupted; it is requeued');
  log.info('stopped');
}
