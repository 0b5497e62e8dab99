import { Redis } from 'ioredis';
import type { Logger } from '../../platform/log/log.ts';
import type { LimitBackendEvent } from '../../platform/metrics/http.ts';
import type { Metrics } from '../../platform/metrics.ts';

/** Milliseconds for an answer, from the same machine room. A store that is slower counts as gone. */
const ANSWER_WITHIN_MS = 200;
const CONNECT_WITHIN_MS = 1_000;
const LONGEST_PAUSE_MS = 1_000;

/** The Redis or Valkey server that processes share their limits in. */
export type LimitStore = {
  /** Asked only while its status is `ready`: nothing waits for a server that is gone. */
  readonly client: Redis;
  readonly close: () => void;
};

/**
 * Connects to the store, and again whenever it was gone. Returns before the store has answered: a start does not depend on it. A
 * command without an answer ends the connection, so one slow answer is all that a frozen server costs; until it answers a new
 * connection's greeting, nothing asks it.
 */
export function connectLimitStore(
  url: string,
  { log, metrics }: { log: Logger; metrics: Metrics },
  answerWithinMs = ANSWER_WITHIN_MS,
): LimitStore {
  const client = new Redis(url, {
    commandTimeout: answerWithinMs,
    socketTimeout: answerWithinMs,
    connectTimeout: CONNECT_WITHIN_MS,
    disconnectTimeout: answerWithinMs,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (tries) => Math.min(tries * 100, LONGEST_PAUSE_MS),
    connectionName: 'payouts-coordinator',
  });
  const count = (event: LimitBackendEvent) => metrics.limitBackend.inc({ event });
  let state: 'new' | 'connected' | 'gone' = 'new';
  client.on('ready', () => {
    count('connected');
    if (state === 'gone') {
      count('recovered');
      log.info({ event: 'recovered' }, 'limits are shared again');
    } else {
      log.info({ event: 'connected' }, 'limits are shared');
    }
    state = 'connected';
  });
  client.on('close', () => {
    // Each further try to reach it ends here too.
    if (state === 'gone') return;
    state = 'gone';
    count('disconnected');
    log.warn(
      { event: 'disconnected' },
      'the store of the limits is gone: registrations are limited by this process alone',
    );
  });
  // What went wrong shows in the events above; without a listener it would end the process.
  client.on('error', () => {});
  return {
    client,
    close: () => {
      client.removeAllListeners('close');
      client.disconnect();
    },
  };
}
