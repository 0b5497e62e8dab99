import { LEAST_CROWD } from './crowd.ts';

/** Seconds between two rounds, which are multiples of it: 00:00 and 12:00 UTC. Nobody can cause a round, only join one. */
export const ROUND_SECONDS = 43_200n;
/** Seconds for which a round is open: the ledger program takes a release of a part so long. */
export const ROUND_OPEN_SECONDS = 3_600n;
/** Seconds that the first parts of a balance wait at most, as the ledger program has it; `FIRST_PARTS`: how many these are at a time. */
export const FIRST_LIMIT_SECONDS = 84n * 3_600n;
export const FIRST_PARTS = 6;
/** Seconds that any part waits at most: those beyond, which leave in a later round. */
export const EXIT_LIMIT_SECONDS = 240n * 3_600n;

/** The last round before a time, unix seconds; the time itself if it is one. */
export const roundBefore = (time: bigint): bigint => (time / ROUND_SECONDS) * ROUND_SECONDS;

/** When a part leaves at the latest that is asked for at a time, unix seconds; `limit`: that of the first parts, or another one, in seconds. */
export const lastRound = (asked: bigint, limit: bigint = FIRST_LIMIT_SECONDS): bigint => roundBefore(asked + limit);

/** Of so many parts of a balance those that leave in a later round, where so many wait already. */
export const laterParts = (parts: number, waiting: number): number =>
  parts - Math.min(parts, Math.max(0, FIRST_PARTS - waiting));

/** The parts of a token that wait. Times in unix seconds. */
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
 * Whether parts of a token leave at a round, and why; undefined: all wait. How many there are doesn't count, so that nobody can fill a
 * round to have others leave alone.
 */
export function leavesAt({ round, due, nextWindow }: RoundQueue): LeavingReason | undefined {
  if (due === undefined) return undefined;
  if (due < round + ROUND_SECONDS) return 'limit';
  return nextWindow === undefined || nextWindow > due ? 'nobody-else' : undefined;
}

/**
 * Whether a part has joined a round, by when it must leave. Not what was asked for after the round began: that must leave at just these times. A part
 * beyond the first ones that must leave then, too, joins the next one.
 */
export const hasJoined = (due: bigint, round: bigint): boolean =>
  due !== lastRound(round) && due < lastRound(round, EXIT_LIMIT_SECONDS);

/**
 * What a window pays at least by which a crowd is paid: to so many people, and as many parts in base units. Nobody waits for what pays fewer, to
 * leave with them alone.
 */
export const crowdPay = (size: bigint): { readonly recipients: number; readonly least: bigint } => ({
  recipients: LEAST_CROWD,
  least: BigInt(LEAST_CROWD) * size,
});

/** A round in which parts of a token leave; times in unix seconds. */
export type LeavingRound = {
  readonly round: bigint;
  /** When the next window falls due that pays a crowd; undefined: none does. */
  readonly nextCrowd: bigint | undefined;
  /** The last round in which parts left before a crowd was paid last; undefined: there is none. */
  readonly before: bigint | undefined;
};

/**
 * Whether a part that has joined such a round leaves in it. The first ones of a balance do. Those beyond wait until a crowd has been paid after such a
 * round: together they would give away who is paid well, and alone, too. They go along where they must, or where no crowd would join them.
 * `limits`: other ones than the protocol's, in seconds.
 */
export function goesAlong(
  due: bigint,
  { round, nextCrowd, before }: LeavingRound,
  { first, any } = { first: FIRST_LIMIT_SECONDS, any: EXIT_LIMIT_SECONDS },
): boolean {
  if (due < lastRound(round, first) || nextCrowd === undefined || nextCrowd > due) return true;
  return before !== undefined && due < lastRound(before, any);
}

/** When a part leaves, and why then. */
export type Leaving = { readonly round: bigint; readonly reason: LeavingReason };

/**
 * When one of the first parts of a balance that is asked for at a time leaves, by the public calendars alone: earlier only with others whose
 * limit is reached. `windowAfter`: when the token's next window after a time falls due.
 */
export function expectedLeaving(asked: bigint, windowAfter: (time: bigint) => bigint | undefined): Leaving {
  const due = lastRound(asked);
  for (let round = roundBefore(asked) + ROUND_SECONDS; ; round += ROUND_SECONDS) {
    const reason = leavesAt({ round, due, nextWindow: windowAfter(round) });
    if (reason !== undefined) return { round, reason };
  }
}
