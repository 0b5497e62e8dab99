import type { Kysely } from 'kysely';
import { workflowIdOf } from '../domain/run.ts';
import type { Logger } from '../log/log.ts';
import { type RunRow, requeueRun } from '../store/queries/runs.ts';
import type { Tables } from '../store/schema.ts';
import type { Engine } from '../workflow/engine.ts';

/** Takes a stopped run on; false if it isn't stopped any more, or its workflow is just ending. */
export async function resumeRun(
  input: { readonly database: Kysely<Tables>; readonly engine: Engine; readonly log: Logger },
  run: RunRow,
): Promise<boolean> {
  const { database, engine, log } = input;
  const key = { schedule: run.schedule, window: BigInt(run.window_number) };
  // A run is recorded as stopped a moment before its workflow ends; only an ended one can start over.
  if ((await engine.statesOf([key])).get(workflowIdOf(key)) !== 'ended') return false;
  if (!(await requeueRun(database, run.id))) return false;
  log.info({ run: workflowIdOf(key), was: run.state }, 'run resumed');
  return engine.startOver(key);
}
