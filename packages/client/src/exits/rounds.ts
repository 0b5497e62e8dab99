/** Seconds between two rounds, which are multiples of it: 00:00 and 12:00 UTC. Nobody can cause a round, only join one. */
export const ROUND_SECONDS = 43_200n;
/** Seconds for which a round is open: the ledger program takes a release of a part so long. */
export const ROUND_OPEN_SECONDS = 3_600n;
/** Seconds that a part waits at most, as the ledger program has it. */
export const EXIT_LIMIT_SECONDS = 96n * 3_600n;

/** The last round before a time, unix seconds; the time itself if it is one. */
export const roundBefore = (time: bigint): bigint => (time / ROUND_SECONDS) * ROUND_SECONDS;

/** When a part leaves at the latest that is asked for at a time, unix seconds; `limit`: seconds, a round's length at least. */
export const lastRound = (asked: bigint, limit: bigint = EXIT_LIMIT_SECONDS): bigint => roundBefore(asked + limit);

/** The parts of a token that wait: they leave together, or wait together. Times in unix seconds. */
export type RoundQueue = {
  readonly round: bigint;
  /** When the part that has waited longest leaves at the latest; undefined: none waits. What is asked for after the round isn't in it. */
  readonly due: bigint | undefined;
  /** When the token's next window falls due by the public calendars; undefined: none does. */
  readonly nextWindow: bigint | undefined;
};

/** Why a queue leaves: its oldest part must; nobody would join it if it waited. */
export type LeavingReason = 'limit' | 'nobody-else';

/**
 * Whether all parts of a token leave at a round, and why; undefined: they wait. How many there are doesn't count, so that nobody can fill a
 * round to have others leave alone.
 */
export function leavesAt({ round, due, nextWindow }: RoundQueue): LeavingReason | undefined {
  if (due === undefined) return undefined;
  if (due < round + ROUND_SECONDS) return 'limit';
  return nextWindow === undefined || nextWindow > due ? 'nobody-else' : undefined;
}

/** When a part leaves, and why then. */
export type Leaving = { readonly round: bigint; readonly reason: LeavingReason };

/**
 * When a part that is asked for at a time leaves, by the public calendars alone: earlier only with others whose limit is reached.
 * `windowAfter`: when the token's next window after a time falls due.
 */
export function expectedLeaving(asked: bigint, windowAfter: (time: bigint) => bigint | undefined): Leaving {
  const due = lastRound(asked);
  for (let round = roundBefore(asked) + ROUND_SECONDS; ; round += ROUND_SECONDS) {
    const reason = leavesAt({ round, due, nextWindow: windowAfter(round) });
    if (reason !== undefined) return { round, reason };
  }
}
