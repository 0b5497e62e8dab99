import { PAYOUT_LEDGER_PROGRAM_ADDRESS } from '@payouts/client';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { retryPolicies } from '../src/domain/backoff.ts';
import { RUN_ERRORS, RunError, type RunErrorCode, Waiting } from '../src/domain/errors.ts';
import { type RunKey, STOPPED_STATES, type Stage } from '../src/domain/run.ts';
import { LedgerClock } from '../src/ledger/clock.ts';
import type { BaseLedger } from '../src/ledger/ledger.ts';
import { createMetrics } from '../src/platform/metrics.ts';
import type { StageContext } from '../src/runs/context.ts';
import { type AttemptResult, StageRunner } from '../src/runs/runner.ts';
import { deleteHistory } from '../src/store/queries/deletion.ts';
import { abandonRun, requestResume } from '../src/store/queries/operatorRuns.ts';
import { findRun, resumeRuns } from '../src/store/queries/runs.ts';
import { sqlRunStore } from '../src/store/runStore.ts';
import { addSchedule } from './support/addSchedule.ts';
import { silentLog } from './support/log.ts';
import { resumableRuns } from './support/resumable.ts';
import { addRun } from './support/runs.ts';
import { useStore } from './support/stores.ts';

const FIRST_MS = 500;
const ATTEMPTS = 4;
const PATIENCE_MS = 120_000;
const HOLD_MS = 30_000;
const POLICIES = retryPolicies({
  attempts: ATTEMPTS,
  firstMs: FIRST_MS,
  patienceMs: PATIENCE_MS,
  holdRecheckMs: HOLD_MS,
});
/** Unix milliseconds. */
const START = 1_800_000_000_000;

const store = useStore();

/** A run whose stages meet what the test says, on a clock that only waits move. */
class Bench {
  now = START;
  /** What the ledger throws at the next reading. */
  thrown: () => unknown = () => new RunError('ledger-unavailable', 'The base ledger does not answer.');
  readonly waits: number[] = [];
  readonly metrics = createMetrics();
  readonly draining = new AbortController();

  private constructor(readonly key: RunKey) {}

  static async open(): Promise<Bench> {
    const key = { schedule: await addSchedule(store.query, {}), window: 0n };
    await addRun(store.query, key, { at: START });
    return new Bench(key);
  }

  /** Its window is open until then; unix seconds. */
  async isOpenUntil(deadline: number): Promise<void> {
    const { id } = await this.run();
    const open = { claims_total: 3, batch_deadline: String(deadline) };
    await store.query.updateTable('execution_runs').set(open).where('id', '=', id).execute();
  }

  fails(code: RunErrorCode): void {
    this.thrown = () => new RunError(code, 'A sentence.');
  }

  /** A new one each time, as after a restart. */
  get runner(): StageRunner {
    const time = {
      now: () => this.now,
      random: () => 0,
      pause: async (milliseconds: number, signal: AbortSignal) => {
        signal.throwIfAborted();
        this.waits.push(milliseconds);
        this.now += milliseconds;
      },
    };
    const base = {
      name: 'base',
      accounts: async () => {
        throw this.thrown();
      },
    } as unknown as BaseLedger;
    const context = {
      program: PAYOUT_LEDGER_PROGRAM_ADDRESS,
      base,
      time,
      clock: new LedgerClock(time),
      store: sqlRunStore(store.query),
      metrics: this.metrics,
      log: silentLog,
      signal: new AbortController().signal,
      underWay: new Set(),
    } as unknown as StageContext;
    return new StageRunner({ context, policies: POLICIES, draining: this.draining.signal });
  }

  async try(stage: Stage = 'delegate'): Promise<AttemptResult> {
    return (await this.runner.attempt(this.key, stage)).result;
  }

  async run() {
    const run = await findRun(store.query, this.key);
    if (run === undefined) throw new Error('There is no run.');
    return run;
  }

  /** Whether the poller takes the run on at its time. */
  async isTakenUp(at: number): Promise<boolean> {
    const { id } = await this.run();
    return (await resumableRuns(store.query, at)).some((found) => found.id === id);
  }

  /** As the poller does when the run's time has come. */
  async requeue(): Promise<void> {
    const { resume_at } = await this.run();
    this.now = Math.max(this.now, Number(resume_at));
    const resumed = await resumeRuns(store.query, this.now, 1_000);
    expect(resumed).toContainEqual(expect.objectContaining(this.key));
  }

  async resumeByOperator(): Promise<void> {
    const { id } = await this.run();
    expect(await requestResume(store.query, [id], this.now)).toEqual([id]);
    await this.requeue();
  }

  /** Tries, and is taken up again, until neither goes on; returns every result. */
  async toTheEnd(most = 200): Promise<string[]> {
    const results: string[] = [];
    while (results.length < most) {
      const result = await this.try();
      results.push(result);
      if (result === 'waiting') await this.requeue();
      else if (result !== 'again') break;
    }
    return results;
  }
}

let bench: Bench;
beforeEach(async () => {
  bench = await Bench.open();
});

describe('a stage that is refused', () => {
  it('is tried a few times, ever later, and is exhausted then, however often the process was restarted', async () => {
    bench.fails('transaction-refused');
    // Each try is another runner's.
    expect(await bench.toTheEnd()).toEqual(['again', 'again', 'again', 'exhausted']);
    expect(bench.waits).toEqual([500, 1_000, 2_000]);
    expect(await bench.run()).toMatchObject({ state: 'exhausted', error_code: 'transaction-refused', resume_at: null });
    expect(await bench.isTakenUp(START * 2)).toBe(false);
  });

  it('has all its tries again when an operator resumes the run', async () => {
    bench.fails('liabilities-mismatch');
    await bench.toTheEnd();
    await bench.resumeByOperator();
    expect(await bench.toTheEnd()).toEqual(['again', 'again', 'again', 'exhausted']);
    // Also in the middle of a row.
    await bench.resumeByOperator();
    expect(await bench.try()).toBe('again');
    const { id } = await bench.run();
    await store.query.updateTable('execution_runs').set({ state: 'waiting' }).where('id', '=', id).execute();
    await bench.resumeByOperator();
    expect(await bench.toTheEnd()).toEqual(['again', 'again', 'again', 'exhausted']);
  });

  it('is counted by class and stage: other errors between do not use up its tries', async () => {
    for (const code of [
      'claims-refused',
      'batch-not-back',
      'internal-error',
      'batch-not-back',
      'layer-unavailable',
    ] as const) {
      bench.fails(code);
      expect(await bench.try()).toBe('again');
    }
    expect(await bench.try('commit')).toBe('again');
    bench.fails('transaction-refused');
    expect(await bench.try()).toBe('again');
    expect(await bench.try()).toBe('exhausted');
  });

  it('begins to count anew after a try that came to something else', async () => {
    bench.fails('claims-refused');
    for (let tries = 1; tries < ATTEMPTS; tries++) expect(await bench.try()).toBe('again');
    bench.thrown = () => new Waiting(bench.now + 10, 'Time has to pass.');
    expect(await bench.try()).toBe('waiting');
    await bench.requeue();
    bench.fails('claims-refused');
    expect(await bench.toTheEnd()).toHaveLength(ATTEMPTS);
  });
});

describe('a part that is gone', () => {
  it('is waited for with patience: short waits in place, long ones at rest, and no end before its time', async () => {
    const results = await bench.toTheEnd();
    expect(results.slice(0, 5)).toEqual(['again', 'again', 'again', 'again', 'waiting']);
    expect(bench.waits).toEqual([500, 1_000, 2_000, 4_000]);
    expect(results.at(-1)).toBe('exhausted');
    expect(results.filter((result) => result === 'waiting').length).toBeGreaterThan(3);
    expect(bench.now - START).toBeGreaterThanOrEqual(PATIENCE_MS);
    expect(bench.now - START).toBeLessThan(PATIENCE_MS + 61_000);
  });

  it('says in its run what is gone and when it is tried again', async () => {
    bench.fails('layer-unavailable');
    for (let tries = 0; tries < 5; tries++) await bench.try();
    expect(await bench.run()).toMatchObject({
      state: 'waiting',
      error_code: 'layer-unavailable',
      resume_at: String(bench.now + 8_000),
    });
  });

  it('may be the database', async () => {
    bench.thrown = () => Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    expect(await bench.try()).toBe('again');
    expect(await bench.run()).toMatchObject({ error_code: 'database-unavailable' });
  });
});

describe('a run that stopped', () => {
  it('is looked at again while it is held, and not when it has failed before its window opened', async () => {
    bench.fails('schedule-paused');
    expect(await bench.try()).toBe('held');
    expect(await bench.run()).toMatchObject({ state: 'held', resume_at: String(START + HOLD_MS) });
    await bench.requeue();
    bench.fails('batch-out-of-bounds');
    expect(await bench.try()).toBe('failed');
    expect(await bench.isTakenUp(START * 2)).toBe(false);
  });

  it('never forgets its open window: whatever the error, it comes back at the deadline, and again until the window is settled', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...(Object.keys(RUN_ERRORS) as RunErrorCode[])),
        fc.integer({ min: -10_000, max: 10_000 }),
        async (code, secondsToDeadline) => {
          bench = await Bench.open();
          bench.fails(code);
          const deadline = START / 1_000 + secondsToDeadline;
          await bench.isOpenUntil(deadline);
          for (let rounds = 0; rounds < 2; rounds++) {
            await bench.toTheEnd(400);
            const run = await bench.run();
            expect(STOPPED_STATES).toContain(run.state);
            const late = Math.max(bench.now, deadline * 1_000);
            // At its deadline if that is to come, else after as long as it is over, and never more than six hours later.
            expect(await bench.isTakenUp(late + 6 * 3_600_000)).toBe(true);
            if (deadline * 1_000 > bench.now) expect(await bench.isTakenUp(deadline * 1_000)).toBe(true);
            await bench.requeue();
          }
        },
      ),
      { numRuns: 12 },
    );
  });

  it('is not tried any more when it is abandoned, until an operator resumes it', async () => {
    await bench.isOpenUntil(START / 1_000 + 60);
    const { id } = await bench.run();
    const sealed = { reason: new Uint8Array(3), key_id: 'key' };
    bench.fails('money-rule-broken');
    const during = bench.thrown;
    // A try that is under way when the operator gives up leaves it so.
    let isAbandoned: Promise<boolean> | undefined;
    bench.thrown = () => {
      isAbandoned = abandonRun(store.query, id, sealed, bench.now);
      return during();
    };
    expect(await bench.try()).toBe('failed');
    expect(await isAbandoned).toBe(true);
    expect(await bench.run()).toMatchObject({ state: 'abandoned', resume_at: null });
    expect(await bench.isTakenUp(START * 2)).toBe(false);
    // The engine may still have it in line.
    expect(await bench.try()).toBe('done');
    bench.thrown = during;
    await bench.resumeByOperator();
    expect(await bench.try()).toBe('failed');
    expect(await bench.isTakenUp(START + 60_000)).toBe(true);
  });
});

it('of a schedule that was deleted meanwhile has nothing left to do, and its job ends', async () => {
  await deleteHistory(store.query, bench.key.schedule);
  expect(await bench.try()).toBe('done');
});

it('leaves the wait before a further try when the service stops, with the failed try recorded', async () => {
  bench.draining.abort();
  await expect(bench.try()).rejects.toThrow();
  const { rows } = await store.database.pool.query(
    'select outcome, error_code from execution_attempts where run_id = $1',
    [(await bench.run()).id],
  );
  expect(rows).toEqual([{ outcome: 'retried', error_code: 'ledger-unavailable' }]);
});
