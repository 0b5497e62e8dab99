import type { Time } from '@payouts/client';
import type { Command } from 'commander';
import { readExecutions, type WindowRun } from '../../executions.ts';
import { found, patiently, publicRequest } from '../../requests.ts';
import { WindowFailed, WindowWatcher } from '../../windowWatcher.ts';
import { Failure } from '../failure.ts';
import { SCHEDULE, windowOption, withApi } from '../options.ts';
import { dim, print, say, write } from '../output.ts';
import { timeText } from '../timeText.ts';
import { notRegistered } from './runs.ts';

type Known = {
  readonly window: string;
  readonly status: string;
  readonly nextWindow: { readonly number: string; readonly dueAt: number } | null;
};

const ENDED: readonly string[] = ['completed', 'cancelled'];

/** payout watch */
export function addWatch(program: Command): void {
  withApi(program.command('watch').argument(...SCHEDULE))
    .description("Follow a schedule's windows, live; Ctrl-C ends it. --json: a line for each change")
    .option('--once', 'end when one window is settled; where none is to come, with the last one')
    .option('--window <number>', 'begin with this one, also if it is over', windowOption)
    .action(watch);
}

type WatchOptions = {
  readonly api: string;
  readonly once?: true;
  readonly window?: bigint;
  readonly json?: true;
  readonly time: Time;
};

async function watch(schedule: string, { api, once, window, json, time }: WatchOptions): Promise<void> {
  const path = `/api/schedules/${encodeURIComponent(schedule)}`;
  const known = await found<Known>(patiently(time, () => publicRequest(api, path), 0));
  if (known === undefined) throw notRegistered();
  const sees = ({ window, state, stage, claims, errorCode }: WindowRun): void =>
    write({ json: true }, { window, state, stage, claims, errorCode }, '');
  if (json) write({ json }, { status: known.status, nextWindow: known.nextWindow }, '');
  else if (known.nextWindow === null && known.status === 'active') print(dim(`Window ${known.window} is under way.`));
  else if (known.nextWindow === null) say(`The schedule is ${known.status}: no further window is due.`);
  else {
    print(dim(`Window ${known.nextWindow.number} is due ${timeText(known.nextWindow.dueAt)}.`));
  }
  let first = window ?? BigInt(known.window);
  if (once && window === undefined && known.nextWindow === null && ENDED.includes(known.status)) {
    // Nobody waits for a window that does not come.
    const [last] = await patiently(time, () => readExecutions(api, schedule));
    if (last === undefined) return;
    first = BigInt(last.window);
  }
  const watcher = new WindowWatcher(api, schedule, first, time, json && sees);
  do {
    try {
      const run = await watcher.next();
      if (json) continue;
      const took = (((run.finishedAt ?? run.createdAt) - run.createdAt) / 1_000).toFixed(1);
      print(`Window ${run.window} is settled: ${run.claims.paid} of ${run.claims.total} paid, ${took} s.`);
    } catch (error) {
      if (error instanceof WindowFailed) throw new Failure('window-failed', error.message);
      throw error;
    }
  } while (!once);
}
