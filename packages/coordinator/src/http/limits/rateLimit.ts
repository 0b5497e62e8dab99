import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

/** So many in so many seconds. */
export type Rate = { readonly points: number; readonly seconds: number };

/** What a limit says to one more request; `resetMs`: until the client has all its points again. */
export type Verdict = { readonly isAllowed: boolean; readonly remaining: number; readonly resetMs: number };

export type RateLimitInput = {
  /** Names the limit's counters in the store. */
  readonly name: string;
  readonly rate: Rate;
  /** Shares the counters between processes; without it they are this process's own. */
  readonly store: Redis | undefined;
  /** Called for each decision that is taken in memory because the store is gone; without it none is taken then. */
  readonly onFallback?: () => void;
};

/** Memory that says when it stands in for the store. */
class Fallback extends RateLimiterMemory {
  readonly #onUse: () => void;

  constructor(rate: Rate, onUse: () => void) {
    super({ points: rate.points, duration: rate.seconds });
    this.#onUse = onUse;
  }

  override consume(...request: Parameters<RateLimiterMemory['consume']>): Promise<RateLimiterRes> {
    this.#onUse();
    return super.consume(...request);
  }
}

/** Counts requests of each client in windows of fixed length. */
export class RateLimit {
  readonly rate: Rate;
  readonly #limiter: RateLimiterRedis | RateLimiterMemory;

  constructor({ name, rate, store, onFallback }: RateLimitInput) {
    this.rate = rate;
    const counted = { points: rate.points, duration: rate.seconds, keyPrefix: `payouts-limit:${name}` };
    this.#limiter =
      store === undefined
        ? new RateLimiterMemory(counted)
        : new RateLimiterRedis({
            ...counted,
            storeClient: store,
            rejectIfRedisNotReady: true,
            ...(onFallback === undefined ? {} : { insuranceLimiter: new Fallback(rate, onFallback) }),
          });
  }

  /** Counts a request of a client; undefined if the store is gone and nothing stands in for it. */
  async count(client: string): Promise<Verdict | undefined> {
    try {
      return this.#verdict(true, await this.#limiter.consume(client));
    } catch (refused) {
      return refused instanceof RateLimiterRes ? this.#verdict(false, refused) : undefined;
    }
  }

  #verdict(isAllowed: boolean, { remainingPoints, msBeforeNext }: RateLimiterRes): Verdict {
    return { isAllowed, remaining: remainingPoints, resetMs: Math.max(msBeforeNext, 0) };
  }
}
