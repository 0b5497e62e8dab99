/** Seconds between two rounds, which are multiples of it: 00:00 and 12:00 UTC. Nobody can cause a round, only join one. */
export const ROUND_SECONDS = 43_200n;

/** Seconds that a part waits at most, by default. */
export const EXIT_LIMIT_SECONDS = 96n * 3_600n;

/** The parts of a token that wait: they leave together, or wait together. Times in unix seconds. */
export type RoundQueue = {
  readonly round: bigint;
  /** When the part that waits longest was asked for; undefined: none waits. What is asked for after the round isn't in it. */
  readonly oldest: bigint | undefined;
  /** When the token's next window falls due by the public calendars; undefined: none does. */
  readonly nextWindow: bigint | undefined;
};

/** Why a queue leaves: its oldest part must; nobody would join it if it waited. */
export type LeavingReason = 'limit' | 'nobody-else';

/**
 * Whether all parts of a token leave at a round, and why; undefined: they wait. How many there are doesn't count, so that nobody can fill a
 * round to have others leave alone. `limit`: seconds, a round's length at least.
 */
export function leavesAt(queue: RoundQueue, limit: bigint = EXIT_LIMIT_SECONDS): LeavingReason | undefined {
  const { round, oldest, nextWindow } = queue;
  if (oldest === undefined) return undefined;
  const last = ((oldest + limit) / ROUND_SECONDS) * ROUND_SECONDS;
  if (last < round + ROUND_SECONDS) return 'limit';
  return nextWindow === undefined || nextWindow > last ? 'nobody-else' : undefined;
}
