import {
  type Calendar,
  CalendarUnit,
  ClientError,
  calendarFromLedger,
  calendarToLedger,
  checkCalendar,
  firstAfter,
  firstOnOrAfter,
  minIntervalSeconds,
  nextExecution,
  PAYOUT_LEDGER_ERROR__INVALID_CALENDAR,
} from '@payouts/client';
import { u32, u64 } from '@payouts/testing/litesvm/addresses';
import type { Random } from '@payouts/testing/random';
import type { Question, Rules } from './rules.ts';

const UNITS = CalendarUnit.MonthsLastBusinessDay + 1;
const LAST = Date.UTC(2401, 0, 1) / 1000;
/** A time as the program writes it, before 1970 too. */
const i64 = (time: bigint) => u64(BigInt.asUintN(64, time));
const REFUSED = -BigInt(PAYOUT_LEDGER_ERROR__INVALID_CALENDAR);
/** Questions that are sent together. */
const BATCH = 1_000;

function attempt(action: () => bigint): bigint {
  try {
    return action();
  } catch (error) {
    if (error instanceof ClientError && error.code === 'INVALID_CALENDAR') return REFUSED;
    throw error;
  }
}

/** The longest steps of each unit, and one more; the first and last times for a first execution, and those beside them. */
const STEP_LIMITS = [1_200, 1_201, 5_217, 5_218, 36_525, 36_526, 3_155_760_000, 3_155_760_001];
const TIME_LIMITS = [0, 1, LAST - 1, LAST];

/** Mostly valid rules, most of them with short steps. */
function calendarOf(random: Random): Calendar {
  const unit: CalendarUnit = random.below(UNITS);
  const every = random.pick([
    () => random.between(1, 12),
    () => random.between(1, 60),
    () => random.between(0, 1_300),
    () => random.below(40_000),
    () => random.u32(),
    () => random.pick(STEP_LIMITS),
  ])();
  const day = unit === CalendarUnit.MonthsOnDay ? random.between(1, 31) : 0;
  return calendarFromLedger({ unit, every, day: random.below(50) === 0 ? random.below(256) : day });
}

function dateQuestion(random: Random, number: number): Question {
  const calendar = calendarOf(random);
  let planned = random.amount(BigInt(LAST) + 86_399n);
  // Most on a day of the rule, if it is one.
  if (random.below(5) > 0) planned = attempt(() => nextExecution({ ...calendar, every: 1 }, planned));
  if (random.below(100) === 0 || planned < 0n) planned = BigInt(random.pick(TIME_LIMITS));
  let now = random.amount(BigInt(LAST) - 1n);
  if (random.below(2) === 0) {
    // About an execution: before, at and after it.
    const step = attempt(() => nextExecution(calendar, planned)) - planned;
    now = planned + (step > 0n ? step : 86_400n) * BigInt(random.below(200)) + BigInt(random.between(-1, 1));
    const execution = attempt(() => firstAfter(calendar, planned, now));
    if (execution > 0n) now = execution + BigInt(random.between(-1, 1));
  }
  const answers = [
    attempt(() => {
      checkCalendar(calendar, planned);
      return 0n;
    }),
    attempt(() => nextExecution(calendar, planned)),
    attempt(() => firstAfter(calendar, planned, now)),
    attempt(() => firstOnOrAfter(calendar, planned, now)),
  ];
  const { unit, every, day } = calendarToLedger(calendar);
  return {
    bytes: [Buffer.from('c'), Uint8Array.of(unit), u32(every), Uint8Array.of(day), i64(planned), i64(now)],
    answer: Buffer.concat([u64(minIntervalSeconds(calendar)), ...answers.map(i64)]),
    read: (answer) => Array.from({ length: 5 }, (_, place) => answer.readBigInt64LE(8 * place)).join(' '),
    describe: () => `date ${number}: every ${every} ${calendar.unit}, day ${day}, planned ${planned}, now ${now}`,
  };
}

/** Asks about so many random rules: whether they are valid, the next execution, and the first after and from a time. */
export async function askDates(rules: Rules, random: Random, count: number): Promise<void> {
  for (let first = 0; first < count; first += BATCH) {
    const size = Math.min(BATCH, count - first);
    await rules.ask(Array.from({ length: size }, (_, place) => dateQuestion(random, first + place)));
  }
}
