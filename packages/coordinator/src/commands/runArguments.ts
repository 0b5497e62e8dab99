import { isAddressText } from '@payouts/client';
import type { RunKey } from '../domain/run.ts';
import { findRun, type RunRow } from '../store/queries/runs.ts';
import type { Db } from '../store/schema.ts';
import { UsageError } from './command.ts';

const WINDOW = /^(0|[1-9][0-9]{0,18})$/;

/** The one run that the words name. Throws `UsageError`. */
export function runKey([text, ...more]: readonly string[]): RunKey {
  const [schedule = '', window = '', ...rest] = text?.split(':') ?? [];
  if (!isAddressText(schedule) || !WINDOW.test(window) || rest.length > 0 || more.length > 0) {
    throw new UsageError('It takes one run as the log names it: SCHEDULE:WINDOW.');
  }
  return { schedule, window: BigInt(window) };
}

/** The address of a schedule as an option gives it. Throws `UsageError`. */
export function scheduleOption(text: string | undefined): string | undefined {
  if (text !== undefined && !isAddressText(text)) throw new UsageError("--schedule takes a schedule's address.");
  return text;
}

/** A command has nothing to work on; the message says why. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

export const NO_SUCH_RUN = 'There is no such run: no window of this number has been due here.';

/** The recorded run of a name. Throws `Refused`. */
export async function recordedRun(database: Db, key: RunKey): Promise<RunRow> {
  const run = await findRun(database, key);
  if (run === undefined) throw new Refused(NO_SUCH_RUN);
  return run;
}
