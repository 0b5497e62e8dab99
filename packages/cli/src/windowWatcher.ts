import { Presets, SingleBar } from 'cli-progress';
import { type Execution, isSettled, readExecutions } from './executions.ts';

const POLL_MS = 100;

/** Follows a schedule's windows, showing stages and claims of the one that runs. */
export class WindowWatcher {
  private readonly apiUrl: string;
  private readonly schedule: string;
  private last: bigint | undefined;

  constructor(apiUrl: string, schedule: string) {
    this.apiUrl = apiUrl;
    this.schedule = schedule;
  }

  /** Waits until the next window has ended and returns its run. */
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
          const stage = run.stage ?? 'delegate';
          if (run.errorCode !== null && run.errorCode !== complained) {
            complained = run.errorCode;
            console.log(`  window ${run.window} is ${run.state}: ${run.errorDetail ?? run.errorCode}`);
          }
          const fields = { window: run.window, stage: stage.padEnd(8) };
          if (shown === undefined) bar?.start(run.claims.total, run.claims.paid, fields);
          else bar?.update(run.claims.paid, fields);
          if (bar === undefined && shown !== stage) console.log(`  window ${run.window}: ${stage}`);
          shown = stage;
          if (isSettled(run)) {
            bar?.update(run.claims.paid, fields);
            this.last = BigInt(run.window);
            return run;
          }
        }
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
    } finally {
      bar?.stop();
    }
  }

  /** The run that comes after the last one seen. */
  private async newest(): Promise<Execution | undefined> {
    const runs = await readExecutions(this.apiUrl, this.schedule);
    return runs.toReversed().find((run) => this.last === undefined || BigInt(run.window) > this.last);
  }
}
