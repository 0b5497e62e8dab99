/** What sets a base ledger's clock; unix seconds. */
export type Clock = { warpClock(seconds: number): Promise<unknown> };

/** Seconds that the ledger's clock is set before something is due: coordinators learn of it meanwhile. */
const BEFORE_DUE = 6;

/**
 * Sets the base ledger's clock to some seconds before `due` (unix seconds). Returns the instant at which it will be due, in unix milliseconds
 * of this machine's clock: the ledger's ticks with its seconds, and the coordinator notes by it when a run has ended.
 */
export async function comeDue(clock: Clock, due: number): Promise<number> {
  for (;;) {
    const second = Math.floor(Date.now() / 1_000);
    await clock.warpClock(due - BEFORE_DUE);
    // Set in this very second, or else in one of two.
    if (Math.floor(Date.now() / 1_000) === second) return (second + BEFORE_DUE) * 1_000;
  }
}
