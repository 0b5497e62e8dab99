import { Presets, SingleBar } from 'cli-progress';
import { type Execution, isSettled, readExecutions } from './executions.ts';

const POLL_MS = 100;

/** A window that ends otherwise than settled: an operator must look at it. */
export class WindowFailed extends Error {
  override readonly name = 'WindowFailed';
}

const FAILED_STATES: readonly string[] = ['failed', 'exhausted', 'cancelled'];

/** Follows a schedule's windows, showing stages and claims of the one that runs. */
export class WindowWatcher {
  private readonly apiUrl: string;
  private readonly schedule: string;
  private window: bigint;

  /** `window`: the first one to follow. */
  constructor(apiUrl: string, schedule: string, window: bigint) {
    this.apiUrl = apiUrl;
    this.schedule = schedule;
    this.window = window;
  }

  /** Waits until the next window is settled and returns its run. Throws `WindowFailed` when it ends otherwise. */
  async next(): Promise<Execution> {
    const bar = process.stdout.isTTY
      ? new SingleBar(
          { format: '  window {window} {stage} [{bar}] {value}/{total} claims', hideCursor: true },
          Presets.shades_classic,
        )
      : undefined;
    let shown: string | undefined;
    let complained: string | undefined;
    try {
      for (;;) {
        const run = await this.newest();
        if (run !== undefined) {
          const stage = run.stage ?? (isSettled(run) ? 'settled' : 'queued');
          if (run.errorCode !== null && run.errorCode !== complained) {
            complained = run.errorCode;
            console.log(`  window ${run.window} is ${run.state}: ${run.errorDetail ?? run.errorCode}`);
          }
          const fields = { window: run.window, stage: stage.padEnd(8) };
          if (shown === undefined) bar?.start(run.claims.total, run.claims.paid, fields);
          else bar?.update(run.claims.paid, fields);
          if (bar === undefined && shown !== stage) console.log(`  window ${run.window}: ${stage}`);
          shown = stage;
          if (FAILED_STATES.includes(run.state)) {
            throw new WindowFailed(
              `Window ${run.window} is ${run.state}: ${run.errorDetail ?? run.errorCode ?? 'no reason is known'}`,
            );
          }
          if (isSettled(run)) {
            bar?.update(run.claims.paid, fields);
            this.window = BigInt(run.window) + 1n;
            return run;
          }
        }
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
    } finally {
      bar?.stop();
    }
  }

  /** The run of the first window not seen to its end. */
  private async newest(): Promise<Execution | undefined> {
    const runs = await readExecutions(this.apiUrl, this.schedule);
    return runs.toReversed().find((run) => BigInt(run.window) >= this.window);
  }
}
