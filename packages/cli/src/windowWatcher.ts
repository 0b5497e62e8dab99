import type { Time } from '@payouts/client';
import { Presets, SingleBar } from 'cli-progress';
import { isSettled, readExecutions, type WindowRun } from './executions.ts';
import { mayPass, patiently, pauseMs, RequestRefused } from './requests.ts';
import { followRuns, type RunChange } from './runEvents.ts';

const NO_STREAM: readonly number[] = [401, 403, 404];
/** With five digits of claims and of windows, the line fits 80 columns. */
const BAR_COLUMNS = 28;

/** A window that ends otherwise than settled: an operator must look at it. */
export class WindowFailed extends Error {
  override readonly name = 'WindowFailed';
}

const FAILED_STATES: readonly string[] = ['failed', 'exhausted', 'cancelled'];

/** What a look at a run that is under way is given to. */
export type SeesRun = (run: WindowRun) => void;

/** Follows a schedule's windows, showing stages and claims of the one that runs. */
export class WindowWatcher {
  /** `window`: the first one to follow; `sees`: told each change instead of showing it. */
  constructor(
    private readonly apiUrl: string,
    private readonly schedule: string,
    private window: bigint,
    private readonly time: Time,
    private readonly sees?: SeesRun,
  ) {}

  /**
   * Waits until the next window is settled and returns its run. Throws `WindowFailed` when it ends otherwise; the call after that waits for
   * the one behind it. Throws `RequestRefused` when the coordinator has not answered for a minute, or does not know the schedule.
   */
  async next(): Promise<WindowRun> {
    const show = this.sees === undefined ? new Shown() : undefined;
    let seen = '';
    try {
      for await (const run of this.#runs()) {
        const { state, stage, claims, errorCode } = run;
        const now = JSON.stringify({ state, stage, claims, errorCode });
        if (now !== seen) this.sees?.(run);
        seen = now;
        show?.at(run);
        if (!isOver(run)) continue;
        this.window = BigInt(run.window) + 1n;
        if (isSettled(run)) return run;
        throw new WindowFailed(
          `Window ${run.window} is ${run.state}: ${run.errorDetail ?? run.errorCode ?? 'no reason is known'}`,
        );
      }
      throw new Error('The runs never end.');
    } finally {
      show?.end();
    }
  }

  /** The run of the first window not seen to its end, each time that it changes: as the coordinator tells, or by looking now and then. */
  async *#runs(): AsyncGenerator<WindowRun> {
    let hasStream = true;
    for (;;) {
      let known: WindowRun | undefined;
      let waitMs = pauseMs(this.time);
      try {
        for await (const told of hasStream ? followRuns(this.apiUrl, this.schedule) : []) {
          if (told !== undefined && BigInt(told.window) < this.window) continue;
          known = withEvent(known, told) ?? (await this.#newest());
          if (known !== undefined) yield known;
        }
      } catch (error) {
        const isStreamless = error instanceof RequestRefused && NO_STREAM.includes(error.status);
        if (!isStreamless && !mayPass(error)) throw error;
        // Not for whoever asks unsigned: then never. Else none is free, or it broke off.
        hasStream &&= !isStreamless;
        if (!isStreamless) waitMs = pauseMs(this.time, error);
      }
      await this.time.pause(waitMs);
      known = await this.#newest();
      if (known !== undefined) yield known;
    }
  }

  async #newest(): Promise<WindowRun | undefined> {
    const runs = await patiently(this.time, () => readExecutions(this.apiUrl, this.schedule));
    return runs.toReversed().find((run) => BigInt(run.window) >= this.window);
  }
}

const isOver = (run: WindowRun): boolean => isSettled(run) || FAILED_STATES.includes(run.state);

/** A run after a change, as far as that tells it all; undefined: it is to be read. */
function withEvent(known: WindowRun | undefined, told: RunChange | undefined): WindowRun | undefined {
  if (known === undefined || told === undefined || known.window !== told.window) return undefined;
  const { state, stage, claims, errorCode } = told;
  const changed = { ...known, state, stage, claims, errorCode };
  return isOver(changed) || errorCode !== known.errorCode ? undefined : changed;
}

/** A run's stages and claims: a bar on a terminal, elsewhere a line for each stage. */
class Shown {
  private readonly bar: SingleBar | undefined;
  private stage: string | undefined;
  private complained: string | undefined;

  constructor() {
    if (!process.stdout.isTTY) return;
    const format = '  window {window} {stage} [{bar}] {value}/{total} claims';
    this.bar = new SingleBar({ format, hideCursor: true, barsize: BAR_COLUMNS }, Presets.shades_classic);
  }

  at(run: WindowRun): void {
    const stage = run.stage ?? (isSettled(run) ? 'settled' : 'queued');
    if (run.errorCode !== null && run.errorCode !== this.complained) {
      this.complained = run.errorCode;
      console.log(`  window ${run.window} is ${run.state}: ${run.errorDetail ?? run.errorCode}`);
    }
    const fields = { window: run.window, stage: stage.padEnd(8) };
    if (this.stage === undefined) this.bar?.start(run.claims.total, run.claims.paid, fields);
    else this.bar?.update(run.claims.paid, fields);
    if (this.bar === undefined && this.stage !== stage) console.log(`  window ${run.window}: ${stage}`);
    this.stage = stage;
  }

  end(): void {
    this.bar?.stop();
  }
}
