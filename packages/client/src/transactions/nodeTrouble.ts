import { isSolanaError, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR } from '@solana/kit';
import type { Time } from '../time.ts';

/** HTTP statuses of a node that has too much to do, or of whatever stands in front of it. */
const BUSY: readonly number[] = [408, 429, 500, 502, 503, 504];
/** Milliseconds before the first repetition where the node doesn't say; each time twice as long, up to the most. */
const FIRST_PAUSE_MS = 500;
const MOST_PAUSE_MS = 8_000;
/** Milliseconds after which a call that is still refused fails. */
const PATIENCE_MS = 60_000;

/** Whether a node refused a call only because it is busy: the same call may be answered later. */
export const isBusy = (error: unknown): boolean =>
  isSolanaError(error, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR) && BUSY.includes(error.context.statusCode);

/** Whether a call's answer never came: the connection could not be made, or broke. `fetch` throws a `TypeError` then. */
export const isUnanswered = (error: unknown): boolean => error instanceof TypeError;

/** Milliseconds that a busy node asks to be left alone for by Retry-After; undefined: it doesn't say. */
export function retryAfterMs(error: unknown): number | undefined {
  if (!isSolanaError(error, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR)) return undefined;
  const seconds = Number(error.context.headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined;
}

/** How long to wait between calls that are refused: what the node says, else longer each time. */
export class Pauses {
  #nextMs = FIRST_PAUSE_MS;

  /** Milliseconds. */
  after(error: unknown): number {
    const pauseMs = retryAfterMs(error) ?? this.#nextMs;
    this.#nextMs = Math.min(this.#nextMs * 2, MOST_PAUSE_MS);
    return pauseMs;
  }
}

/**
 * Makes a call again while the node is busy, for a minute at most, and once where the connection broke: a node closes one that was idle
 * at the very moment it is used again. For calls that may be made twice. Throws what the call throws.
 */
export async function whileBusy<T>(call: () => Promise<T>, time: Time): Promise<T> {
  const until = time.monotonic() + PATIENCE_MS;
  const pauses = new Pauses();
  let isBroken = false;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (isUnanswered(error) && !isBroken) {
        isBroken = true;
        continue;
      }
      const pauseMs = isBusy(error) ? pauses.after(error) : Number.POSITIVE_INFINITY;
      if (time.monotonic() + pauseMs > until) throw error;
      await time.pause(pauseMs);
    }
  }
}
