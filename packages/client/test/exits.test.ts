import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  atLeastPeople,
  type Calendar,
  CROWD_STEPS,
  crowdOf,
  crowdPay,
  EXIT_LIMIT_SECONDS,
  expectedLeaving,
  FIRST_LIMIT_SECONDS,
  goesAlong,
  hasJoined,
  lastRound,
  leavesAt,
  MOST_PARTS,
  monthlyPay,
  nextSizeFrom,
  partSize,
  planParts,
  ROUND_SECONDS,
  roundBefore,
  STEADY_STEPS,
  shuffled,
  steadyParts,
} from '../src/index.ts';

const HOUR = 3_600n;
const schedule = fc.record({ monthly: fc.bigInt(0n, 10n ** 15n), recipients: fc.integer({ min: 0, max: 10_000 }) });

describe('the size of parts', () => {
  it('is 500 where the median recipient gets 3,300 in a month', () => {
    expect(partSize([{ monthly: 330_000n, recipients: 100 }])).toBe(500n);
  });

  it('is round, and a tenth to a quarter of what some schedule pays on average', () => {
    fc.assert(
      fc.property(fc.array(schedule, { maxLength: 20 }), (schedules) => {
        const size = partSize(schedules);
        const averages = schedules
          .filter(({ recipients }) => recipients > 0)
          .map(({ monthly, recipients }) => monthly / BigInt(recipients));
        if (size === 0n) {
          expect(averages.length === 0 || averages.some((average) => average < 4n)).toBe(true);
          return;
        }
        expect(size.toString()).toMatch(/^[125]0*$/);
        expect(averages.some((average) => size * 4n <= average && average < (size + 1n) * 10n)).toBe(true);
      }),
    );
  });

  it('is not moved by any number of schedules that pay less than the others do, whomever and how many', () => {
    const usual = { monthly: 330_000n, recipients: 100 };
    const hostile = fc.record({ monthly: fc.bigInt(0n, 40_000n), recipients: fc.integer({ min: 1, max: 10 ** 9 }) });
    fc.assert(
      fc.property(fc.array(hostile, { maxLength: 8 }), (others) => {
        expect(partSize([usual, ...others])).toBe(partSize([usual]));
      }),
    );
    expect(partSize([])).toBe(0n);
  });
});

describe('what a schedule pays in a month', () => {
  const pay = (calendar: Calendar, windows: bigint) => monthlyPay({ amount: 100n, calendar, windows });

  it('follows from its rule, and is no more than its windows', () => {
    expect(pay({ unit: 'months-last-day', every: 1 }, 12n)).toBe(100n);
    expect(pay({ unit: 'weeks', every: 1 }, 52n)).toBe(400n);
    expect(pay({ unit: 'days', every: 60 }, 6n)).toBe(50n);
    expect(pay({ unit: 'seconds', every: 5 }, 3n)).toBe(300n);
  });
});

describe('the size over time', () => {
  it('changes twice a year at most, and is known a month ahead', () => {
    const DAY = 86_400n;
    fc.assert(
      fc.property(fc.bigInt(0n, 1_000n), fc.bigInt(0n, 1_000n), (held, since) => {
        const [from, now] = [held * DAY, (held + since) * DAY];
        const next = nextSizeFrom({ size: 500n, from }, now);
        expect(next - now).toBeGreaterThanOrEqual(30n * DAY);
        expect(next - from).toBeGreaterThanOrEqual(182n * DAY);
        expect(next === now + 30n * DAY || next === from + 182n * DAY).toBe(true);
        expect(nextSizeFrom(undefined, now)).toBe(now);
      }),
    );
  });
});

describe('the plan of a balance', () => {
  it('takes 3,480.25 out as six of 500', () => {
    expect(planParts(348_025n, 50_000n)).toEqual({ parts: 6, rest: 48_025n });
  });

  it('takes no more than there is, nothing of nothing, and leaves less than a part while there is place', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 16n), fc.bigInt(0n, 10n ** 15n), (balance, size) => {
        const { parts, rest } = planParts(balance, size);
        expect(BigInt(parts) * size + rest).toBe(balance);
        expect(parts >= 0 && parts <= MOST_PARTS && rest >= 0n).toBe(true);
        if (size > 0n && parts < MOST_PARTS) expect(rest).toBeLessThan(size);
      }),
    );
  });
});

describe('the order of a round', () => {
  it('keeps everything, and is drawn from all orders alike', () => {
    const counts = new Map<string, number>();
    for (let draw = 0; draw < 6_000; draw += 1) {
      const order = shuffled(['a', 'b', 'c']).join('');
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    // Chi-square with 5 degrees of freedom: above 45 once in 70 million runs, and in every one if an order is left out.
    expect(counts.size).toBe(6);
    expect([...counts.values()].reduce((total, count) => total + (count - 1_000) ** 2 / 1_000, 0)).toBeLessThan(45);
  });
});

/** A world of one to a dozen people and ten days, in hours: who asks when for what, and which windows the calendars promise. */
const part = fc.record({ at: fc.nat(240), isBeyond: fc.boolean() });
const parts = (most: number) => fc.array(part, { minLength: 1, maxLength: most });
const world = fc.record({
  asks: parts(12),
  // Of a hostile employer's recipients; windows that are promised and, some of them, never come; some seem to pay a crowd.
  hostile: parts(40),
  promised: fc.array(fc.record({ at: fc.nat(480), isCrowd: fc.boolean(), isPaid: fc.boolean() }), { maxLength: 10 }),
});
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

/** When what is asked for at these times leaves, and by when it must. */
function play(asks: World['asks'], promised: World['promised']) {
  let waiting = asks.map(({ at, isBeyond }) => {
    const asked = BigInt(at) * HOUR;
    return { asked, due: lastRound(asked, isBeyond ? EXIT_LIMIT_SECONDS : FIRST_LIMIT_SECONDS) };
  });
  const windows = promised.map(({ at, ...rest }) => ({ due: BigInt(at) * HOUR, ...rest }));
  const next = (all: typeof windows, round: bigint) => least(all.map(({ due }) => due).filter((due) => due > round));
  const left: ((typeof waiting)[number] & { readonly round: bigint })[] = [];
  for (let round = 0n; round <= 960n * HOUR; round += ROUND_SECONDS) {
    const queue = waiting.filter(({ asked, due }) => asked <= round && hasJoined(due, round));
    const nextWindow = next(windows, round);
    if (leavesAt({ round, due: least(queue.map(({ due }) => due)), nextWindow }) === undefined) continue;
    const crowds = windows.filter(({ isCrowd }) => isCrowd);
    const paid = crowds.filter(({ due, isPaid }) => isPaid && due <= round).map(({ due }) => -due);
    const before = left.map((each) => each.round).findLast((time) => time < -(least(paid) ?? 0n));
    const leaving = queue.filter(({ due }) => goesAlong(due, { round, nextCrowd: next(crowds, round), before }));
    left.push(...leaving.map((each) => ({ ...each, round })));
    waiting = waiting.filter((each) => !leaving.includes(each));
  }
  return left;
}

const least = (times: readonly bigint[]): bigint | undefined =>
  times.reduce<bigint | undefined>((one, other) => (one === undefined || other < one ? other : one), undefined);

describe('a round', () => {
  it('lets every part leave, at an instant of its own and within its limit, whoever else there is', () => {
    fc.assert(
      fc.property(world, ({ asks, hostile, promised }) => {
        for (const all of [asks, [...asks, ...hostile]]) {
          const left = play(all, promised);
          expect(left.length).toBe(all.length);
          expect(left.every(({ asked, due, round }) => round >= asked && round <= due)).toBe(true);
          expect(left.every(({ round }) => round % ROUND_SECONDS === 0n)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is not caused by anybody: a queue leaves at the limit, or once no window could add to it', () => {
    fc.assert(
      fc.property(world, ({ asks, hostile, promised }) => {
        const left = play([...asks, ...hostile], promised);
        for (const round of new Set(left.map((each) => each.round))) {
          const due = least(left.filter((each) => each.round === round).map((each) => each.due)) as bigint;
          const isAwaited = promised.some(({ at }) => BigInt(at) * HOUR > round && BigInt(at) * HOUR <= due);
          expect(due < round + ROUND_SECONDS || !isAwaited).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('says why a queue leaves', () => {
    const due = lastRound(100n);
    expect(due).toBe(FIRST_LIMIT_SECONDS);
    expect(lastRound(ROUND_SECONDS - 1n)).toBe(due);
    expect(lastRound(ROUND_SECONDS)).toBe(due + ROUND_SECONDS);
    expect(leavesAt({ round: due, due, nextWindow: due + 1n })).toBe('limit');
    expect(leavesAt({ round: due - ROUND_SECONDS, due, nextWindow: due })).toBeUndefined();
    expect(leavesAt({ round: ROUND_SECONDS, due, nextWindow: due + 1n })).toBe('nobody-else');
    expect(leavesAt({ round: ROUND_SECONDS, due, nextWindow: undefined })).toBe('nobody-else');
    expect(leavesAt({ round: ROUND_SECONDS, due: undefined, nextWindow: undefined })).toBeUndefined();
  });
});

describe('a part beyond the first ones', () => {
  const round = 40n * ROUND_SECONDS;
  const due = lastRound(round - HOUR, EXIT_LIMIT_SECONDS);
  const nextCrowd = round + HOUR;
  const goes = (change: object = {}, part = due) => goesAlong(part, { round, nextCrowd, before: undefined, ...change });

  it('leaves in the next round after others were paid, not with the first ones', () => {
    expect(hasJoined(due, round)).toBe(true);
    expect(goes()).toBe(false);
    expect(goes({ before: round - ROUND_SECONDS })).toBe(false);
    expect(goes({ before: round, round: round + ROUND_SECONDS })).toBe(true);
    expect(goes({}, lastRound(round - HOUR))).toBe(true);
  });

  it('leaves with them where it must, or no crowd would join it', () => {
    expect(goes({ nextCrowd: undefined })).toBe(true);
    expect(goes({ nextCrowd: due + 1n })).toBe(true);
    expect(goes({ nextCrowd: due })).toBe(false);
    expect(goes({ round: due, nextCrowd: due + HOUR })).toBe(true);
  });

  it('waits for twenty people and as many parts', () => {
    expect(crowdPay(500n)).toEqual({ recipients: 20, least: 10_000n });
  });

  it('is in no round that began before it was asked for, and neither are first ones', () => {
    const asked = round + 60n;
    expect([lastRound(asked), lastRound(asked, EXIT_LIMIT_SECONDS)].map((part) => hasJoined(part, round))).toEqual([
      false,
      false,
    ]);
    expect(hasJoined(lastRound(round - 1n), round)).toBe(true);
  });
});

describe('when a part leaves by the calendars', () => {
  it('is the first round after which nobody would join it, and its last one otherwise', () => {
    const asked = ROUND_SECONDS + 5n;
    const next = 2n * ROUND_SECONDS;
    expect(expectedLeaving(asked, () => undefined)).toEqual({ round: next, reason: 'nobody-else' });
    const once = (time: bigint) => (time < next + 60n ? next + 60n : undefined);
    expect(expectedLeaving(asked, once)).toEqual({ round: next + ROUND_SECONDS, reason: 'nobody-else' });
    const always = (time: bigint) => time + 60n;
    expect(expectedLeaving(asked, always)).toEqual({ round: lastRound(asked), reason: 'limit' });
  });

  it('is never later than its limit, nor before the next round', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 9n), fc.array(fc.bigInt(0n, 10n ** 9n), { maxLength: 8 }), (asked, windows) => {
        const after = (time: bigint) => windows.filter((due) => due > time).sort((a, b) => (a < b ? -1 : 1))[0];
        const { round } = expectedLeaving(asked, after);
        expect(round).toBeLessThanOrEqual(lastRound(asked));
        expect(round).toBeGreaterThan(asked);
        expect(roundBefore(round)).toBe(round);
      }),
    );
  });
});

describe('a crowd', () => {
  it('is said by steps, which nobody reaches alone', () => {
    expect([9, 10, 19, 20, 999, 5_000].map(atLeastPeople)).toEqual([0, 10, 10, 20, 300, 1_000]);
  });

  it('is that of the round in the middle of the last ones, or those who wait if they are more', () => {
    const recent = [
      { parts: 900, people: 300 },
      { parts: 12, people: 0 },
      { parts: 120, people: 30 },
      { parts: 80, people: 20 },
    ] as const;
    expect(crowdOf({ recent, waiting: null }, 4)).toEqual({ people: 20, oneIn: 20 });
    expect(crowdOf({ recent, waiting: { people: 100 } }, 4)).toEqual({ people: 100, oneIn: 25 });
    expect(crowdOf({ recent: [], waiting: null }, 4)).toEqual({ people: 0, oneIn: 1 });
  });

  it('is never said to hide better than it does', () => {
    const step = fc.constantFrom(0 as const, ...CROWD_STEPS);
    const round = fc.record({ parts: fc.nat(10_000), people: step });
    fc.assert(
      fc.property(fc.array(round, { maxLength: 6 }), fc.integer({ min: 1, max: MOST_PARTS }), (recent, own) => {
        const { people, oneIn } = crowdOf({ recent, waiting: null }, own);
        const most = Math.max(0, ...recent.map((each) => Math.max(each.parts, each.people)));
        expect(oneIn).toBeGreaterThanOrEqual(1);
        expect(oneIn === 1 || oneIn * own <= most).toBe(true);
        expect([0, ...CROWD_STEPS]).toContain(people);
      }),
    );
  });
});

describe('the number of parts that somebody takes each month', () => {
  it('is a step that their pay covers, and most of it', () => {
    for (let paid = 0; paid <= MOST_PARTS; paid += 1) {
      const parts = steadyParts(paid);
      if (paid < STEADY_STEPS[0]) {
        expect(parts).toBe(0);
        continue;
      }
      expect(STEADY_STEPS).toContain(parts);
      expect(parts <= paid && parts * 1.6 > paid - 1).toBe(true);
    }
    expect(steadyParts(100)).toBe(MOST_PARTS);
  });

  it('is of no more parts than may wait, with those that wait already', () => {
    expect(planParts(10_000n, 500n, MOST_PARTS - 5)).toEqual({ parts: 7, rest: 6_500n });
    expect(planParts(10_000n, 500n, -1)).toEqual({ parts: 0, rest: 10_000n });
  });
});
