import {
  atLeastPeople,
  type Calendar,
  expectedLeaving,
  firstAfter,
  type KnownRounds,
  type Leaving,
  lastRound,
  monthlyPay,
  partSize,
  ROUND_SECONDS,
  roundBefore,
  type SizeFrom,
  sizeToAnnounce,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { keepSize, lastDecided, lastSizes, type PublicTerms, publicTerms } from '../store/queries/rounds.ts';
import type { Db } from '../store/schema.ts';

/** Rounds of which is said how many people were in them. */
const RECENT = 6;
/** Schedules that paid nothing for so long, in seconds, have no part in the size. */
const PAID_WITHIN = 31n * 86_400n;

/** What anybody may know of a token's rounds; times in unix seconds. It changes at rounds, and by what schedules promise: never by who asks. */
export type RoundsView = Pick<KnownRounds, 'waiting'> & {
  /** The size of its parts, base units; undefined: nobody is paid in it. */
  readonly size: bigint | undefined;
  readonly nextSize: SizeFrom | undefined;
  readonly nextRound: bigint;
  /** When what is asked for now leaves at the latest, and when by the calendars. */
  readonly latest: bigint;
  readonly expected: Leaving;
  readonly recent: readonly (KnownRounds['recent'][number] & { readonly round: bigint })[];
  /** The first round after the windows by which most people are paid next, and how many these are. */
  readonly largest: { readonly round: bigint; readonly recipients: number } | undefined;
};

/** What a token's rounds are like at a time, unix seconds. */
export async function roundsView(database: Db, mint: Address, now: bigint): Promise<RoundsView> {
  const terms = await publicTerms(database, mint, now - PAID_WITHIN);
  const active = terms.filter(({ status }) => status === 'active');
  const [recent, [last]] = await Promise.all([
    lastDecided(database, mint, { limit: RECENT, leaves: true }),
    lastDecided(database, mint, { limit: 1 }),
  ]);
  const isWaiting = last !== undefined && !last.leaves && last.round >= roundBefore(now);
  return {
    ...(await sizesAt(database, mint, terms, now)),
    nextRound: roundBefore(now) + ROUND_SECONDS,
    latest: lastRound(now),
    expected: expectedLeaving(now, (time) => windowAfter(active, time)),
    recent: recent.map(({ round, parts, people }) => ({ round, parts, people: atLeastPeople(people) })),
    waiting: isWaiting ? { people: atLeastPeople(last.people) } : null,
    largest: largestOf(active, now),
  };
}

/** The size that holds, and the one that will; one is announced where it is time. */
async function sizesAt(
  database: Db,
  mint: Address,
  terms: readonly PublicTerms[],
  now: bigint,
): Promise<Pick<RoundsView, 'size' | 'nextSize'>> {
  const [last] = await lastSizes(database, mint, 1);
  const derived = partSize(terms.map((each) => ({ monthly: monthlyOf(each), recipients: each.recipients })));
  const announced = sizeToAnnounce(last, derived, now);
  if (announced !== undefined) await keepSize(database, mint, announced);
  // As it is kept: another process may have been faster.
  const sizes = await lastSizes(database, mint, 2);
  return {
    size: sizes.find(({ from }) => from <= now)?.size,
    nextSize: sizes.findLast(({ from }) => from > now),
  };
}

const calendarOf = ({ unit, every, day }: PublicTerms): Calendar => ({ unit, every, ...(day !== 0 && { day }) });

const monthlyOf = (terms: PublicTerms): bigint =>
  monthlyPay({
    amount: BigInt(terms.amount),
    calendar: calendarOf(terms),
    executions: BigInt(terms.window_number) + BigInt(terms.executions_left),
  });

/** When the next window after a time falls due, by the calendars of these schedules. */
function windowAfter(active: readonly PublicTerms[], time: bigint): bigint | undefined {
  let first: bigint | undefined;
  for (const terms of active) {
    const planned = BigInt(terms.next_execution);
    if (planned <= time && terms.executions_left < 2) continue;
    const due = planned > time ? planned : firstAfter(calendarOf(terms), planned, time);
    if (first === undefined || due < first) first = due;
  }
  return first;
}

function largestOf(active: readonly PublicTerms[], now: bigint): RoundsView['largest'] {
  const recipients = new Map<bigint, number>();
  for (const terms of active) {
    const planned = BigInt(terms.next_execution);
    const round = roundBefore(planned > now ? planned : now) + ROUND_SECONDS;
    recipients.set(round, (recipients.get(round) ?? 0) + terms.recipients);
  }
  const [most] = [...recipients].sort(([early, few], [late, many]) => many - few || Number(early - late));
  return most && { round: most[0], recipients: most[1] };
}
