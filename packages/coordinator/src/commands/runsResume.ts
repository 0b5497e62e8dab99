import { isAddressText } from '@payouts/client';
import type { RunKey } from '../domain/run.ts';
import { askToResume } from '../store/queries/runs.ts';
import { command, print, UsageError } from './command.ts';
import { withDatabase } from './database.ts';

const WINDOW = /^(0|[1-9][0-9]{0,18})$/;

function runKey(text: string | undefined): RunKey {
  const [schedule = '', window = '', ...more] = text?.split(':') ?? [];
  if (!isAddressText(schedule) || !WINDOW.test(window) || more.length > 0) {
    throw new UsageError('It takes one run as the log names it: SCHEDULE:WINDOW.');
  }
  return { schedule, window: BigInt(window) };
}

/** A running coordinator takes the run on with its next poll; with the embedded database, the next one that is started. */
export const runsResume = command({
  synopsis: 'SCHEDULE:WINDOW',
  summary: 'lets a stopped run go on: exhausted, failed, held or waiting',
  options: {},
  async run(_, [text, ...more]) {
    if (more.length > 0) throw new UsageError('It takes one run.');
    const key = runKey(text);
    const answer = await withDatabase((database) => askToResume(database, key, Date.now()));
    if (answer === undefined) return refuse('There is no such run.');
    if (!answer.isAsked) return refuse(`The run is ${answer.state}: it has nothing to go on with.`);
    await print(`The run was ${answer.state}; it goes on with the next look for due windows.`);
    return 0;
  },
});

function refuse(why: string): number {
  console.error(`✖ ${why}`);
  return 1;
}
