import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { afterError, type Failures, nextCheckAt, type RetryPolicy, retryPolicies } from '../src/domain/backoff.ts';
import type { ERROR_CLASSES } from '../src/domain/errors.ts';
import { IssueBackoff } from '../src/withdrawals/backoff.ts';

const issue = { number: 1n, wallet: 'wallet', dueAt: 0n };

describe('the backoff of a withdrawal that is not paid', () => {
  it('doubles from 30 seconds to an hour, for each number and wallet apart, and ends when it has arrived', () => {
    const backoff = new IssueBackoff();
    expect(backoff.isDue(issue, 0)).toBe(true);
    let now = 0;
    const waits: number[] = [];
    for (let times = 1; times <= 9; times++) {
      expect(backoff.issued(issue, now)).toBe(times);
      const from = now;
      while (!backoff.isDue(issue, now)) now += 1_000;
      waits.push((now - from) / 1_000);
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600]);
    backoff.issued(issue, now);
    for (const other of [{ number: 2n }, { wallet: 'another' }]) {
      expect(backoff.isDue({ ...issue, ...other }, now)).toBe(true);
    }
    expect(backoff.isDue(issue, now)).toBe(false);
    backoff.arrived(issue, now);
    expect(backoff.isDue(issue, now)).toBe(true);
    expect(backoff.issued(issue, now)).toBe(1);
  });

  it('ends early, once, when another withdrawal has arrived since', () => {
    const backoff = new IssueBackoff();
    const another = { ...issue, number: 2n };
    let now = 0;
    for (let times = 1; times <= 8; times++) {
      backoff.issued(issue, now);
      now += 3_600_000;
    }
    backoff.issued(issue, now);
    expect(backoff.isDue(issue, now + 60_000)).toBe(false);
    backoff.arrived(another, now + 1);
    expect(backoff.isDue(issue, now + 29_999)).toBe(false);
    expect(backoff.isDue(issue, now + 30_000)).toBe(true);
    backoff.issued(issue, now + 30_000);
    backoff.arrived(another, now + 31_000);
    expect(backoff.isDue(issue, now + 90_000)).toBe(false);
    expect(backoff.isDue(issue, now + 30_000 + 3_600_000)).toBe(true);
  });

  it('waits a little when the layer says that it is under way, without counting a try', () => {
    const backoff = new IssueBackoff();
    backoff.underWay(issue, 0);
    expect(backoff.isDue(issue, 4_999)).toBe(false);
    expect(backoff.isDue(issue, 5_000)).toBe(true);
    expect(backoff.issued(issue, 5_000)).toBe(1);
  });
});

describe('what is issued of a token’s withdrawals', () => {
  const asked = (count: number) => Array.from({ length: count }, (_, at) => ({ ...issue, number: BigInt(at + 1) }));
  const numbersOf = (issues: readonly (typeof issue)[]) =>
    issues.map(({ number }) => Number(number)).sort((a, b) => a - b);

  it('is remembered of all that are under way, however many they are, and of no others', () => {
    const backoff = new IssueBackoff();
    const all = asked(20_000);
    for (const each of all) backoff.issued(each, 0);
    for (const each of all) backoff.issued(each, 30_000);
    expect(backoff.toIssue(all, 4_096, 89_999)).toEqual([]);
    expect(backoff.toIssue(all, 4_096, 90_000)).toHaveLength(4_096);
    backoff.toIssue(all.slice(1), 4_096, 80_000);
    expect(backoff.isDue(issue, 80_000)).toBe(true);
  });

  it('is everything that is due where all have a place, and nothing before its time', () => {
    const backoff = new IssueBackoff();
    const all = asked(4);
    backoff.issued(all[0] as typeof issue, 0);
    const putOff = { ...issue, number: 5n, dueAt: 10n };
    expect(numbersOf(backoff.toIssue([...all, putOff], 5, 9_999))).toEqual([2, 3, 4]);
    expect(numbersOf(backoff.toIssue([...all, putOff], 5, 10_000))).toEqual([2, 3, 4, 5]);
  });

  it('is else what was issued least often, to whichever wallet and by whichever process, the oldest first', () => {
    const backoff = new IssueBackoff();
    const [first, second, ...others] = asked(6) as [typeof issue, ...(typeof issue)[]];
    backoff.issued(first, 0);
    const redirected = { ...first, wallet: 'another' };
    const byAnother = { ...(second as typeof issue), dueAt: 1n };
    const all = [redirected, byAnother, ...others.toReversed()];
    expect(numbersOf(backoff.toIssue(all, 3, 1_000))).toEqual([3, 4, 5]);
    expect(numbersOf(backoff.toIssue(all, 5, 1_000))).toEqual([1, 3, 4, 5, 6]);
  });

  it('is what was never tried before what was put off, for a minute', () => {
    const backoff = new IssueBackoff();
    const all = asked(4);
    for (const each of all.slice(0, 2)) backoff.putOff(each, 0);
    backoff.arrived({ ...issue, number: 5n }, 1_000);
    expect(numbersOf(backoff.toIssue(all, 4, 59_999))).toEqual([3, 4]);
    expect(numbersOf(backoff.toIssue(all, 3, 60_000))).toEqual([1, 3, 4]);
  });

  it('is an eighth at most of what was issued five times, others of it after five minutes, and no less for those that are new', () => {
    const backoff = new IssueBackoff();
    const all = asked(32);
    const often = all.slice(0, 16);
    for (let times = 0; times < 5; times++) for (const each of often) backoff.issued(each, 0);
    const hour = 3_600_000;
    expect(numbersOf(backoff.toIssue(all, 16, hour))).toEqual([
      1,
      2,
      ...Array.from({ length: 14 }, (_, at) => 17 + at),
    ]);
    expect(numbersOf(backoff.toIssue(often.toReversed(), 15, hour + 299_999))).toEqual([1, 2]);
    expect(numbersOf(backoff.toIssue(often.toReversed(), 15, hour + 300_000))).toEqual([15, 16]);
  });
});

describe('the backoff of a withdrawal that the layer refuses', () => {
  it('doubles from five seconds to ten minutes, however others arrive, and begins anew once it was issued', () => {
    const backoff = new IssueBackoff();
    let now = 0;
    const waits = Array.from({ length: 9 }, () => {
      const waitMs = backoff.refused(issue, now);
      backoff.arrived({ ...issue, number: 2n }, now + 1);
      expect(backoff.isDue(issue, now + waitMs - 1)).toBe(false);
      now += waitMs;
      expect(backoff.isDue(issue, now)).toBe(true);
      return waitMs / 1_000;
    });
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 320, 600, 600]);
    expect(backoff.refusals(issue)).toBe(9);
    expect(backoff.issued(issue, now)).toBe(1);
    expect(backoff.refusals(issue)).toBe(0);
    expect(backoff.refused(issue, now + 60_000)).toBe(5_000);
  });
});

type Retrying = Extract<RetryPolicy, { kind: 'retry' }>;

const retrying: fc.Arbitrary<Retrying> = fc.record(
  {
    kind: fc.constant('retry' as const),
    firstMs: fc.integer({ min: 1, max: 5_000 }),
    growth: fc.double({ min: 1, max: 4, noNaN: true }),
    longestMs: fc.integer({ min: 5_000, max: 600_000 }),
    jitter: fc.double({ min: 0, max: 1, noNaN: true }),
    attempts: fc.integer({ min: 1, max: 20 }),
    budgetMs: fc.integer({ min: 1, max: 10_000_000 }),
  },
  { requiredKeys: ['kind', 'firstMs', 'growth', 'longestMs', 'jitter'] },
);
const failures: fc.Arbitrary<Failures> = fc.record({
  count: fc.integer({ min: 1, max: 400 }),
  lastedMs: fc.integer({ min: 0, max: 10_000_000 }),
});
const chance = fc.double({ min: 0, max: 0.999_999, noNaN: true });

describe('what follows from an error', () => {
  it('is another try exactly as long as neither tries nor time are used up', () => {
    fc.assert(
      fc.property(retrying, failures, chance, (policy, failed, random) => {
        const isOver =
          failed.count >= (policy.attempts ?? Number.POSITIVE_INFINITY) ||
          failed.lastedMs >= (policy.budgetMs ?? Number.POSITIVE_INFINITY);
        expect(afterError(policy, failed, random).kind === 'exhausted').toBe(isOver);
      }),
    );
  });

  it('waits at least as long as the policy says, at most its jitter longer, and never less than after the failure before', () => {
    fc.assert(
      fc.property(retrying, fc.integer({ min: 1, max: 60 }), chance, (endless, count, random) => {
        const { attempts: _, budgetMs: __, ...policy } = endless;
        const waitOf = (failed: number, by: number): number => {
          const decision = afterError(policy, { count: failed, lastedMs: 0 }, by);
          if (!('waitMs' in decision)) throw new Error('An endless policy came to an end.');
          return decision.waitMs;
        };
        const least = waitOf(count, 0);
        expect(waitOf(1, 0)).toBe(policy.firstMs);
        expect(least).toBeLessThanOrEqual(policy.longestMs);
        expect(waitOf(count + 1, 0)).toBeGreaterThanOrEqual(least);
        expect(waitOf(count, random)).toBeGreaterThanOrEqual(least);
        expect(waitOf(count, random)).toBeLessThanOrEqual((least + 1) * (1 + policy.jitter));
      }),
    );
  });

  it('keeps a place for short waits alone', () => {
    fc.assert(
      fc.property(retrying, failures, chance, (policy, failed, random) => {
        const decision = afterError(policy, failed, random);
        if (decision.kind === 'retry') expect(decision.waitMs).toBeLessThanOrEqual(5_000);
        if (decision.kind === 'wait') expect(decision.waitMs).toBeGreaterThan(5_000);
      }),
    );
  });

  const policies = retryPolicies({ attempts: 8, firstMs: 500, patienceMs: 86_400_000, holdRecheckMs: 30_000 });
  /** How long, in milliseconds, and how often a class of errors is tried that never passes. */
  function course(errorClass: (typeof ERROR_CLASSES)[number]): { tries: number; lasted: number; last: string } {
    let lasted = 0;
    for (let tries = 1; ; tries++) {
      const decision = afterError(policies[errorClass], { count: tries, lastedMs: lasted }, 0.5);
      if (decision.kind !== 'retry' && decision.kind !== 'wait') return { tries, lasted, last: decision.kind };
      lasted += decision.waitMs;
    }
  }

  it('outlasts an outage of a day, looks often for what is under way, and soon gives up what is refused', () => {
    const unreachable = course('unreachable');
    expect(unreachable).toMatchObject({ last: 'exhausted' });
    expect(unreachable.lasted).toBeGreaterThanOrEqual(86_400_000);
    // Once a minute or so: a ledger that comes back is not run over, and nobody waits for long.
    expect(unreachable.tries).toBeGreaterThan(86_400_000 / 90_000);
    expect(unreachable.tries).toBeLessThan(86_400_000 / 60_000 + 20);
    const timing = course('timing');
    expect(timing.lasted).toBeGreaterThanOrEqual(3_600_000);
    expect(timing.tries).toBeGreaterThan(300);
    expect(course('refused')).toMatchObject({ tries: 8, last: 'exhausted' });
    expect(course('refused').lasted).toBeLessThan(120_000);
    expect(course('operator')).toEqual({ tries: 1, lasted: 0, last: 'held' });
    expect(course('permanent')).toEqual({ tries: 1, lasted: 0, last: 'failed' });
  });
});

describe('the next look at an open window of a run that has stopped', () => {
  it('is at its deadline, then again and again, ever more seldom, and at least four times a day', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2e12 }), fc.integer({ min: 0, max: 2e12 }), (deadline, now) => {
        const look = nextCheckAt(deadline, now);
        if (now < deadline) expect(look).toBe(deadline);
        else {
          expect(look).toBeGreaterThanOrEqual(now + 60_000);
          expect(look).toBeLessThanOrEqual(now + 6 * 3_600_000);
        }
      }),
    );
    let looks = 0;
    for (let now = 0; now < 30 * 86_400_000; now = nextCheckAt(0, now)) looks += 1;
    expect(looks).toBeLessThan(150);
  });
});
