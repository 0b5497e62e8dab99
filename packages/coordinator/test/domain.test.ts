import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ADVICE, adviceFor } from '../src/domain/advice.ts';
import { classOf, ERROR_CLASSES, RUN_ERRORS, RunError, type RunErrorCode, toRunError } from '../src/domain/errors.ts';
import { PROBLEMS, Problem, type ProblemCode, problemBody } from '../src/domain/problems.ts';
import { batchDeadline, dueWindow, SCHEDULE_STATUSES, type ScheduleState } from '../src/domain/schedule.ts';

const terms: fc.Arbitrary<ScheduleState> = fc.record({
  status: fc.constantFrom(...SCHEDULE_STATUSES),
  phase: fc.constantFrom('idle', 'open'),
  window: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  dueAt: fc.bigInt({ min: 0n, max: 2n ** 40n }),
  executionsLeft: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  kept: fc.constantFrom(0, 3),
});

describe('due', () => {
  it('is only ever the window that the ledger names', () => {
    fc.assert(
      fc.property(terms, fc.bigInt({ min: 0n, max: 2n ** 40n }), (schedule, now) => {
        expect([undefined, schedule.window]).toContain(dueWindow(schedule, now));
      }),
    );
  });

  it('is an open window always, else the next one of an active schedule with executions left or without an end whose time has come', () => {
    fc.assert(
      fc.property(terms, fc.bigInt({ min: 0n, max: 2n ** 40n }), (schedule, now) => {
        const isDue =
          schedule.phase === 'open' ||
          (schedule.status === 'active' && (schedule.executionsLeft > 0 || schedule.kept > 0) && schedule.dueAt <= now);
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
      expect(classOf(code)).toBe(RUN_ERRORS[code]);
    }
    expect(new Set(Object.values(RUN_ERRORS))).toEqual(new Set(ERROR_CLASSES));
    // A later version may have recorded it.
    expect(classOf('not-known-here')).toBe('refused');
    expect(classOf('toString')).toBe('refused');
  });

  it('all say what they mean and what to do, in sentences', () => {
    for (const [code, { problem, remedy }] of Object.entries(ADVICE)) {
      for (const sentence of [problem, remedy]) expect(sentence).toMatch(/^[A-Z].*\.$/);
      expect(adviceFor(code, 'waiting')?.remedy).toBe(remedy);
      const stopped = adviceFor(code, 'exhausted')?.remedy;
      expect(stopped).toMatch(/^[A-Z].*\.$/);
      expect(stopped).toMatch(/resume|abandon/i);
      expect(stopped).not.toContain('by itself.');
    }
    expect(adviceFor('layer-unavailable', 'exhausted')?.remedy).toBe(
      'Check LAYER_RPC_URL and the validator; then resume the run.',
    );
    expect(adviceFor('toString', 'held')).toBeUndefined();
    expect(adviceFor(null, 'settled')).toBeUndefined();
  });

  it('keep the text of the unknown out of the record', () => {
    const known = toRunError(new TypeError('cannot pay 9xQe… the amount 500'));
    expect(known).toMatchObject({ code: 'internal-error', errorClass: 'refused' });
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

it('what to do about each error of a run stands in the documentation', () => {
  const file = new URL('../../../docs/operating/runs.md', import.meta.url);
  const rows = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => /^\| `[a-z-]+` \| [a-z]+ \| .+ \| .+ \|$/.test(line));
  const known = (Object.keys(RUN_ERRORS) as RunErrorCode[]).map((code) => {
    const { problem, remedy } = ADVICE[code];
    return `| \`${code}\` | ${RUN_ERRORS[code]} | ${problem} | ${remedy} |`;
  });
  expect(rows.sort()).toEqual(known.sort());
});
