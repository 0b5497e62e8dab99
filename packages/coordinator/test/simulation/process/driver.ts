import { type RunKey, runIdOf, STAGES, type Stage } from '../../../src/domain/run.ts';
import type { StageRunner, Tried } from '../../../src/runs/runner.ts';
import type { BegunAttempt } from '../../../src/store/queries/attempts.ts';
import { AttemptSuperseded } from '../../../src/store/queries/attempts.ts';
import type { Life } from './life.ts';
import type { Workflows } from './workflows.ts';

/** Milliseconds between two looks into the line, and runs at work at a time. */
const LOOK_MS = 700;
const AT_WORK = 8;
/** How a stage is tried again whose result could not be recorded, as the engine does; milliseconds. */
const UNRECORDED = { attempts: 8, firstMs: 500, growth: 2 };
/** Milliseconds between two tries to record that a run is over. */
const RECORD_AGAIN_MS = 1_000;

/** Another process has the run by now. */
class TakenOver extends Error {}

/** Takes runs out of the line and tries their stages, as the engine does, from the first one. */
export class Driver {
  readonly #atWork = new Set<string>();
  /** Counts up when the process was taken for dead: what it began before is others' work since. */
  generation = 0;

  constructor(
    private readonly life: Life,
    private readonly workflows: Workflows,
    private readonly runner: Pick<StageRunner, 'attempt'>,
  ) {}

  /** What it is at work on, by the runs' names. */
  has(key: RunKey): boolean {
    return this.#atWork.has(runIdOf(key));
  }

  get isIdle(): boolean {
    return this.#atWork.size === 0;
  }

  /** Until no further stage may begin. */
  async run(): Promise<void> {
    const { draining, time } = this.life;
    while (!draining.signal.aborted) {
      const most = AT_WORK - this.#atWork.size;
      const ask = () => this.workflows.take(this.life.name, most);
      const taken = most === 0 ? [] : await this.life.call('database', ask).catch(() => []);
      for (const key of taken) void this.#pay(key);
      await time.pause(LOOK_MS, draining.signal).catch(() => {});
    }
  }

  async #pay(key: RunKey): Promise<void> {
    const id = runIdOf(key);
    const { generation } = this;
    this.#atWork.add(id);
    try {
      let begun: BegunAttempt | undefined;
      for (const stage of STAGES) {
        const end = await this.#tried(key, stage, generation, begun);
        if (end === 'error' || end.result !== 'done') break;
        begun = end.begun;
      }
      await this.#record(() => this.workflows.end(key, this.life.name));
    } catch (error) {
      if (!(error instanceof TakenOver)) throw error;
    } finally {
      this.#atWork.delete(id);
    }
  }

  async #tried(
    key: RunKey,
    stage: Stage,
    generation: number,
    begun: BegunAttempt | undefined,
  ): Promise<Tried | 'error'> {
    const { time, draining, stopping } = this.life;
    let first = begun;
    for (let tries = 1, waitMs = UNRECORDED.firstMs; ; ) {
      const given = first;
      first = undefined;
      if (draining.signal.aborted && given === undefined) await this.#leave(key);
      if (this.generation !== generation) throw new TakenOver();
      try {
        const end = await this.runner.attempt(key, stage, given);
        if (end.result !== 'again') return end;
      } catch (error) {
        if (error instanceof AttemptSuperseded) throw new TakenOver();
        if (draining.signal.aborted || stopping.signal.aborted) await this.#leave(key);
        if (tries === UNRECORDED.attempts) return 'error';
        tries += 1;
        await time.pause(waitMs, draining.signal).catch(() => {});
        waitMs *= UNRECORDED.growth;
      }
    }
  }

  /** Leaves a run to whoever takes it next. */
  async #leave(key: RunKey): Promise<never> {
    await this.life.call('database', () => this.workflows.giveBack(key, this.life.name)).catch(() => {});
    throw new TakenOver();
  }

  /** The engine records its own until it succeeds. */
  async #record(record: () => void): Promise<void> {
    const { time, stopping } = this.life;
    for (;;) {
      try {
        return await this.life.call('database', record);
      } catch (error) {
        if (error instanceof TakenOver || stopping.signal.aborted) throw new TakenOver();
        await time.pause(RECORD_AGAIN_MS, stopping.signal).catch(() => {});
      }
    }
  }
}
