import type { Address } from '@solana/kit';
import { type RunKey, STOPPED_STATES } from '../../../src/domain/run.ts';
import { dueWindow } from '../../../src/domain/schedule.ts';
import { scheduleOf, termsOf } from '../../../src/ledger/accounts.ts';
import { CLOCK_ADDRESS, clockTime, type LedgerClock } from '../../../src/ledger/clock.ts';
import type { BaseLedger } from '../../../src/ledger/ledger.ts';
import { observedSchedule } from '../../../src/ledger/observedSchedule.ts';
import type { DueWindow, RunRow } from '../../../src/store/queries/runs.ts';
import type { MemoryDatabase } from '../store/database.ts';
import type { Driver } from './driver.ts';
import type { Life } from './life.ts';
import type { Workflows } from './workflows.ts';

export type SchedulerInput = {
  readonly life: Life;
  readonly base: BaseLedger;
  readonly clock: LedgerClock;
  readonly program: Address;
  readonly database: MemoryDatabase;
  readonly workflows: Workflows;
  readonly driver: Driver;
};

const POLL_MS = 2_000;
const STALE_MS = 60_000;
const COMPARE_MS = 30_000;
/** Milliseconds after which a run that is recorded as at work here, and isn't, counts as left behind. */
const LEFT_BEHIND_MS = 10_000;

const keyOf = ({ schedule, window_number }: RunRow): RunKey => ({ schedule, window: BigInt(window_number) });

/**
 * Finds due windows, takes stopped runs on and compares runs with the engine, as the service's poller does over its database, by the
 * same decisions.
 */
export class Scheduler {
  readonly #missedSince = new Map<string, number>();
  #comparedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly input: SchedulerInput) {}

  /** Polls until no further stage may begin; a poll that fails is repeated in its time. */
  async run(): Promise<void> {
    const { time, draining } = this.input.life;
    while (!draining.signal.aborted) {
      await this.#poll().catch(() => {});
      await time.pause(POLL_MS, draining.signal).catch(() => {});
    }
  }

  async #poll(): Promise<void> {
    const { life, database, workflows } = this.input;
    const now = life.time.now();
    if (now - this.#comparedAt >= COMPARE_MS) {
      await life.call('database', () => this.#compare());
      this.#comparedAt = now;
    }
    const looked = await life.call('database', () => this.#toRead(now));
    const due = await this.#read(looked);
    if (due.length > 0) {
      await life.call('database', () => database.createRuns(due, life.time.now()));
      await life.call('database', () => workflows.enqueue(due));
    }
    await life.call('database', () => this.#resume(life.time.now()));
  }

  /** Schedules that look due or open and have no run for their window, and those not seen for long. */
  #toRead(now: number): Address[] {
    const { database, clock } = this.input;
    return [...database.schedules.values()]
      .filter(({ address, window_number, phase, status, next_execution, seen_at }) => {
        const hasRun = database.run({ schedule: address, window: BigInt(window_number) }) !== undefined;
        const isDue = status === 'active' && BigInt(next_execution) <= clock.now();
        return (!hasRun && (phase === 'open' || isDue)) || Number(seen_at) < now - STALE_MS;
      })
      .map(({ address }) => address as Address);
  }

  async #read(addresses: readonly Address[]): Promise<DueWindow[]> {
    const { life, base, clock, program, database } = this.input;
    const { slot, accounts } = await base.accounts([CLOCK_ADDRESS, ...addresses]);
    const now = clockTime(accounts[0] ?? null);
    if (now !== undefined) clock.learn(now);
    const due: DueWindow[] = [];
    const seen = addresses.flatMap((address, place) => {
      const schedule = scheduleOf(accounts[place + 1] ?? null, program);
      if (schedule === undefined) return [];
      const window = dueWindow(termsOf(schedule), clock.now());
      if (window !== undefined) due.push({ schedule: address, window, recipients: schedule.recipients });
      return [observedSchedule(address, schedule, slot, life.time.now())];
    });
    if (seen.length > 0) {
      await life.call('database', () => {
        for (const one of seen) database.see(one);
      });
    }
    return due;
  }

  #resume(now: number): void {
    const { database, workflows } = this.input;
    for (const run of database.runs.values()) {
      const isStopped = STOPPED_STATES.some((state) => state === run.state);
      if (!isStopped || run.resume_at === null || Number(run.resume_at) > now) continue;
      const state = workflows.stateOf(keyOf(run));
      const isLeft = this.#isLeftBehind(run);
      if (state !== 'ended' && !isLeft) continue;
      database.changeRun(run.id, { state: 'queued', resume_at: null });
      if (isLeft) workflows.giveBack(keyOf(run), this.input.life.name);
      else workflows.restart(keyOf(run));
    }
  }

  /** Puts runs in line again that are recorded as in line or at work, but which the engine doesn't know, has ended or let go of. */
  #compare(): void {
    const { life, database, workflows } = this.input;
    for (const run of database.runs.values()) {
      if (run.finished_at !== null || (run.state !== 'queued' && run.state !== 'running')) continue;
      const key = keyOf(run);
      const state = workflows.stateOf(key);
      if (state === 'unknown') workflows.enqueue([key]);
      if (state === 'ended') workflows.restart(key);
      if (this.#isLeftBehind(run)) workflows.giveBack(key, life.name);
    }
  }

  /** Whether a run has been recorded as at work in this process for a while without being so. */
  #isLeftBehind(run: RunRow): boolean {
    const { life, workflows, driver } = this.input;
    const key = keyOf(run);
    const name = `${run.id}`;
    if (workflows.stateOf(key) !== 'pending' || workflows.executorOf(key) !== life.name || driver.has(key)) {
      this.#missedSince.delete(name);
      return false;
    }
    const since = this.#missedSince.get(name) ?? life.time.now();
    this.#missedSince.set(name, since);
    return life.time.now() - since >= LEFT_BEHIND_MS;
  }
}
