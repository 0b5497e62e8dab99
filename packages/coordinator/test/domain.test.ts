import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { delayAfter, jitterFor, type RetryPolicy } from '../src/domain/backoff.ts';
import { RUN_ERRORS, RunError, type RunErrorCode, toRunError } from '../src/domain/errors.ts';
import { PROBLEMS, Problem, type ProblemCode, problemBody } from '../src/domain/problems.ts';
import { batchDeadline, dueWindow, SCHEDULE_STATUSES, type ScheduleTerms } from '../src/domain/schedule.ts';

const policies: fc.Arbitrary<RetryPolicy> = fc.record({
  attempts: fc.integer({ min: 1, max: 20 }),
  baseMs: fc.integer({ min: 1, max: 5_000 }),
  rate: fc.double({ min: 1, max: 4, noNaN: true }),
  maxMs: fc.integer({ min: 5_000, max: 600_000 }),
});

describe('backoff', () => {
  it('begins with the base, never shrinks and never passes the maximum', () => {
    fc.assert(
      fc.property(policies, fc.integer({ min: 1, max: 30 }), (policy, attempt) => {
        expect(delayAfter(1, policy)).toBe(policy.baseMs);
        expect(delayAfter(attempt + 1, policy)).toBeGreaterThanOrEqual(delayAfter(attempt, policy));
        expect(delayAfter(attempt, policy)).toBeLessThanOrEqual(policy.maxMs);
      }),
    );
  });

  it('adds at most a quarter, and nothing for the least random number', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 600_000 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (delay, random) => {
          const jitter = jitterFor(delay, () => random);
          expect(jitter).toBeGreaterThanOrEqual(0);
          expect(jitter).toBeLessThanOrEqual(delay / 4);
          expect(jitterFor(delay, () => 0)).toBe(0);
        },
      ),
    );
  });
});

const terms: fc.Arbitrary<ScheduleTerms> = fc.record({
  status: fc.constantFrom(...SCHEDULE_STATUSES),
  phase: fc.constantFrom('idle', 'open'),
  window: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  nextExecution: fc.bigInt({ min: 0n, max: 2n ** 40n }),
  executionsLeft: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
});

describe('due', () => {
  it('is only ever the window that the ledger names', () => {
    fc.assert(
      fc.property(terms, fc.bigInt({ min: 0n, max: 2n ** 40n }), (schedule, now) => {
        expect([undefined, schedule.window]).toContain(dueWindow(schedule, now));
      }),
    );
  });

  it('is an open window always, else the next one of an active schedule with executions left whose time has come', () => {
    fc.assert(
      fc.property(terms, fc.bigInt({ min: 0n, max: 2n ** 40n }), (schedule, now) => {
        const isDue =
          schedule.phase === 'open' ||
          (schedule.status === 'active' && schedule.executionsLeft > 0 && schedule.nextExecution <= now);
        expect(dueWindow(schedule, now) !== undefined).toBe(isDue);
      }),
    );
  });

  it('stays due as time passes', () => {
    fc.assert(
      fc.property(
        terms,
        fc.bigInt({ min: 0n, max: 2n ** 40n }),
        fc.bigInt({ min: 0n, max: 10n ** 6n }),
        (schedule, now, later) => {
          if (dueWindow(schedule, now) !== undefined) expect(dueWindow(schedule, now + later)).toBe(schedule.window);
        },
      ),
    );
  });

  it('ends an open window its timeout after it was opened', () => {
    expect(batchDeadline({ openedAt: 1_000n, batchTimeout: 60 })).toBe(1_060n);
  });
});

describe('errors', () => {
  it('carry the class of their code', () => {
    for (const code of Object.keys(RUN_ERRORS) as RunErrorCode[]) {
      expect(new RunError(code, 'a sentence')).toMatchObject({ code, errorClass: RUN_ERRORS[code] });
    }
  });

  it('keep the text of the unknown out of the record', () => {
    const known = toRunError(new TypeError('cannot pay 9xQe… the amount 500'));
    expect(known).toMatchObject({ code: 'internal-error', errorClass: 'retryable' });
    expect(known.message).not.toContain('500');
    expect(toRunError('a string').message).not.toContain('a string');
  });

  it('answer with a body that says code, status and title', () => {
    for (const code of Object.keys(PROBLEMS) as ProblemCode[]) {
      expect(problemBody(new Problem(code, 'Detail.', { index: 3 }))).toMatchObject({
        ...PROBLEMS[code],
        code,
        detail: 'Detail.',
        index: 3,
      });
    }
  });
});
