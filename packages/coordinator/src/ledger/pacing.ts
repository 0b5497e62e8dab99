import type { Time } from '@payouts/client';
import { HttpFailure } from './rpcCall.ts';

const TOO_MANY_REQUESTS = 429;
/** Milliseconds: whatever a ledger asks for, it is tried again after so long. */
const LONGEST_MS = 10_000;
/** Milliseconds to wait where it doesn't say how long, twice as long each time it refuses again. */
const FIRST_MS = 500;
/** Milliseconds over which calls that waited together are spread. */
const SPREAD_MS = 200;

/** Milliseconds to wait by a Retry-After header, seconds or a date; undefined if it is neither. `now`: unix milliseconds. */
export function retryAfterMs(header: string, now: number): number | undefined {
  const asked = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isNaN(asked) ? undefined : Math.min(Math.max(asked, 0), LONGEST_MS);
}

/** Leaves a ledger's RPC alone that has had too many calls: until the time that it names, else for longer each time. */
export class Pacing {
  /** Of the process's own clock, which nobody sets. */
  #until = Number.NEGATIVE_INFINITY;
  #refusals = 0;

  constructor(private readonly time: Time) {}

  /** Takes note of what a call failed with. */
  heed(error: unknown): void {
    if (!(error instanceof HttpFailure) || error.status !== TOO_MANY_REQUESTS) return;
    const asked = error.retryAfter === null ? undefined : retryAfterMs(error.retryAfter, this.time.now());
    const now = this.time.monotonic();
    if (asked !== undefined) this.#until = Math.max(this.#until, now + asked);
    // Calls that were under way together are refused once.
    else if (now >= this.#until) {
      this.#until = now + Math.min(FIRST_MS * 2 ** this.#refusals, LONGEST_MS);
      this.#refusals += 1;
    }
  }

  /** Takes note that a call was answered. */
  answered(): void {
    this.#refusals = 0;
  }

  /**
   * Waits until calls may be made, by what is known now: a call is put off once, however many others are refused meanwhile.
   * Throws the signal's reason.
   */
  async wait(signal: AbortSignal): Promise<void> {
    const leftMs = this.#until - this.time.monotonic();
    if (leftMs > 0) await this.time.pause(leftMs + this.time.random() * SPREAD_MS, signal);
  }
}
