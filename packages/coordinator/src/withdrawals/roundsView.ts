import {
  atLeastPeople,
  EXIT_LIMIT_SECONDS,
  expectedLeaving,
  firstAfter,
  type KnownRounds,
  type Leaving,
  lastRound,
  ROUND_SECONDS,
  roundBefore,
  type SizeFrom,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { calendarOf } from '../domain/calendarOf.ts';
import { lastDecided, type PublicTerms, publicTerms, sizesAt } from '../store/queries/rounds.ts';
import type { Db } from '../store/schema.ts';

/** Rounds of which is said how many people were in them. */
const RECENT = 6;

/**
 * What anybody may know of a token's rounds; times in unix seconds. It changes at rounds, by what schedules promise, and where an
 * operator sets a size: never by who asks.
 */
export type RoundsView = Pick<KnownRounds, 'waiting'> & {
  /** The size of its parts, base units; undefined: no operator has set one. */
  readonly size: bigint | undefined;
  readonly nextSize: SizeFrom | undefined;
  readonly nextRound: bigint;
  /** When what is asked for now leaves at the latest, those beyond the first parts of a balance, and when by the calendars. */
  readonly latest: bigint;
  readonly later: bigint;
  readonly expected: Leaving;
  readonly recent: readonly (KnownRounds['recent'][number] & { readonly round: bigint })[];
  /** The first round after the windows by which most people are paid next, and how many these are. */
  readonly largest: { readonly round: bigint; readonly recipients: number } | undefined;
};

/** What a token's rounds are like at a time, unix seconds. Looking changes nothing. */
export async function roundsView(database: Db, mint: Address, now: bigint): Promise<RoundsView> {
  const { size: held, next: nextSize } = await sizesAt(database, mint, now);
  const size = held?.size;
  const [active, recent, [last]] = await Promise.all([
    publicTerms(database, mint, size ?? 0n),
    lastDecided(database, mint, { limit: RECENT, leaves: true }),
    lastDecided(database, mint, { limit: 1 }),
  ]);
  const isWaiting = last !== undefined && !last.leaves && last.round >= roundBefore(now);
  return {
    size,
    nextSize,
    nextRound: roundBefore(now) + ROUND_SECONDS,
    latest: lastRound(now),
    later: lastRound(now, EXIT_LIMIT_SECONDS),
    expected: expectedLeaving(now, (time) => windowAfter(active, time)),
    recent: recent.map(({ round, parts, people }) => ({ round, parts, people: atLeastPeople(people) })),
    waiting: isWaiting ? { people: atLeastPeople(last.people) } : null,
    largest: largestOf(active, size ?? 1n, now),
  };
}

/** When the next window after a time falls due, by the calendars of these schedules. */
function windowAfter(active: readonly PublicTerms[], time: bigint): bigint | undefined {
  let first: bigint | undefined;
  for (const terms of active) {
    const planned = BigInt(terms.next_execution);
    if (planned <= time && terms.executions_left < 2 && terms.kept === 0) continue;
    const due = planned > time ? planned : firstAfter(calendarOf(terms), planned, time);
    if (first === undefined || due < first) first = due;
  }
  return first;
}

function largestOf(active: readonly PublicTerms[], size: bigint, now: bigint): RoundsView['largest'] {
  const recipients = new Map<bigint, number>();
  for (const terms of active) {
    const planned = BigInt(terms.next_execution);
    const round = roundBefore(planned > now ? planned : now) + ROUND_SECONDS;
    // Of what it pays, so many can have a part: promising little to many adds nobody.
    const most = BigInt(terms.amount) / size;
    const count = most < BigInt(terms.recipients) ? Number(most) : terms.recipients;
    recipients.set(round, (recipients.get(round) ?? 0) + count);
  }
  const [most] = [...recipients].sort(([early, few], [late, many]) => many - few || Number(early - late));
  return most && { round: most[0], recipients: most[1] };
}
