import type { RunKey, RunState } from '../domain/run.ts';
import { requestResume } from '../store/queries/operatorRuns.ts';
import { findRun } from '../store/queries/runs.ts';
import type { Db } from '../store/schema.ts';

/** What came of an operator's wish that a run go on; `state` is the one in which it was found. */
export type ResumeOutcome =
  | { readonly kind: 'goes-on' | 'not-stopped'; readonly state: RunState }
  | { readonly kind: 'missing' };

/** Lets a stopped run go on with the next look for due windows, of any process; `at` in unix milliseconds. */
export async function resumeForOperator(database: Db, key: RunKey, at: number): Promise<ResumeOutcome> {
  const run = await findRun(database, key);
  if (run === undefined) return { kind: 'missing' };
  const resumed = await requestResume(database, [run.id], at);
  return { kind: resumed.length > 0 ? 'goes-on' : 'not-stopped', state: run.state };
}

/** Why a run does not go on. */
export const notStopped = (state: RunState): string => `The run is ${state}: it has nothing to go on with.`;
