import type { Kysely } from 'kysely';
import { workflowIdOf } from '../domain/run.ts';
import type { Logger } from '../platform/log/log.ts';
import { type RunRow, requeueRun } from '../store/queries/runs.ts';
import type { Tables } from '../store/schema.ts';
import type { Engine } from './engine.ts';

/**
 * Takes a stopped run on; false if it isn't stopped any more, or its workflow is just ending. It may also have been left behind: a process
 * whose lease expired has stopped the run after its successor had given way to it, and the workflow is the successor's.
 */
export async function resumeRun(
  input: { readonly database: Kysely<Tables>; readonly engine: Engine; readonly log: Logger },
  run: RunRow,
): Promise<boolean> {
  const { database, engine, log } = input;
  const key = { schedule: run.schedule, window: BigInt(run.window_number) };
  const state = (await engine.statesOf([key])).get(workflowIdOf(key));
  // A run is recorded as stopped a moment before its workflow ends; only an ended one can start over.
  if (state !== 'ended' && state !== 'orphaned') return false;
  if (!(await requeueRun(database, run.id))) return false;
  log.info({ run: workflowIdOf(key), was: run.state }, 'run resumed');
  if (state === 'ended') return engine.restart(key);
  await engine.requeue(key);
  return true;
}
