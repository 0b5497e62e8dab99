import type { Time } from '@payouts/client';
import type { Logger } from '../../platform/log/log.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { AdmissionQueue } from './admissionQueue.ts';
import { RateLimit } from './rateLimit.ts';
import { ReceivingPlaces } from './receivingPlaces.ts';
import { connectLimitStore } from './store.ts';

export type LimitsInput = {
  readonly registrationsPerMinute: number;
  readonly registrationsAtATime: number;
  readonly readsPerMinute: number;
  /** Redis or Valkey; undefined: this process's memory. */
  readonly rateLimitStoreUrl: string | undefined;
  /** Count and log what would be limited, and let it pass. */
  readonly rateLimitDryRun: boolean;
  /** Seconds over which requests are counted, if not a minute. */
  readonly rateLimitWindowSeconds?: number;
  /** Milliseconds after which a store that has not answered counts as gone, if not as many as in one machine room. */
  readonly rateLimitAnswerMs?: number;
};

/** What the API limits requests by. */
export type Limits = {
  readonly isDryRun: boolean;
  readonly registrations: RateLimit;
  /** Of reads, private or not. Open while the store is gone: reading must go on. */
  readonly reads: RateLimit;
  readonly registrationPlaces: { readonly receiving: ReceivingPlaces; readonly working: AdmissionQueue };
  readonly close: () => void;
};

const MINUTE = 60;

/** The limits over their store, which need not be there yet. */
export function createLimits(input: LimitsInput, observed: { log: Logger; metrics: Metrics; time: Time }): Limits {
  const { metrics, time } = observed;
  const url = input.rateLimitStoreUrl;
  const store = url === undefined ? undefined : connectLimitStore(url, observed, input.rateLimitAnswerMs);
  const seconds = input.rateLimitWindowSeconds ?? MINUTE;
  return {
    isDryRun: input.rateLimitDryRun,
    registrations: new RateLimit({
      name: 'registration',
      rate: { points: input.registrationsPerMinute, seconds },
      store: store?.client,
      onFallback: () => metrics.limitBackend.inc({ event: 'memory-fallback' }),
    }),
    reads: new RateLimit({ name: 'read', rate: { points: input.readsPerMinute, seconds }, store: store?.client }),
    registrationPlaces: {
      receiving: new ReceivingPlaces(time),
      working: new AdmissionQueue(input.registrationsAtATime, time),
    },
    close: () => store?.close(),
  };
}
