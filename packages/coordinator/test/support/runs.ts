import type { Kysely } from 'kysely';
import type { RunKey, RunState, Stage } from '../../src/domain/run.ts';
import { type BegunAttempt, beginAttempt } from '../../src/store/queries/attempts.ts';
import { createRuns, findRun, type RunRow } from '../../src/store/queries/runs.ts';
import type { NewTransaction } from '../../src/store/queries/transactions.ts';
import type { Tables } from '../../src/store/schema.ts';
import { changeSchedule } from './addSchedule.ts';
import { randomAddress } from './promised.ts';

type Store = Kysely<Tables>;

/** Records the run of a registered schedule's window, unless it is recorded; returns it. `at` in unix milliseconds. */
export async function addRun(database: Store, key: RunKey, { recipients = 3, at = 1 } = {}): Promise<RunRow> {
  await createRuns(database, [{ ...key, recipients }], at);
  const run = await findRun(database, key);
  if (run === undefined) throw new Error('The schedule is not registered.');
  return run;
}

/** Begins a try of a stage of a run that is recorded and not over. */
export async function begin(database: Store, key: RunKey, stage: Stage, at: number): Promise<BegunAttempt> {
  const begun = await beginAttempt(database, key, stage, at);
  if (begun === undefined) throw new Error('The run is over, abandoned or deleted.');
  return begun;
}

/** How a run has stopped; `resumeAt` in unix milliseconds. */
export type Stop = {
  readonly state: RunState;
  readonly code: string | null;
  readonly detail: string;
  readonly resumeAt: number | null;
};

/** Stops a run, as the end of a try does. */
export async function stopRun(database: Store, runId: number, { state, code, detail, resumeAt }: Stop): Promise<void> {
  await database
    .updateTable('execution_runs')
    .set({ state, error_code: code, error_detail: detail, resume_at: resumeAt })
    .where('id', '=', runId)
    .execute();
}

/** How a try ends that has done what it was for. */
export const SUCCEEDED = { outcome: 'succeeded', code: null, detail: null } as const;

/** A transaction of a try, as it is to be kept before it is sent. */
export const newTransaction = (runId: number, attemptId: number, signature = randomAddress() as string) =>
  ({
    run_id: runId,
    attempt_id: attemptId,
    ledger: 'base',
    purpose: 'delegate',
    signature,
    wire: 'AA==',
    last_valid_block_height: '150',
    created_at: 1,
  }) as const satisfies NewTransaction;

/** A run as it stands in the database; times in unix milliseconds, `due` in unix seconds. */
export type StandingRun = {
  readonly schedule: string;
  readonly window?: number;
  readonly state: RunState;
  readonly due?: number | null;
  readonly finished?: number;
  readonly code?: string;
  readonly paid?: number;
  /** Base units. */
  readonly amount?: string;
  readonly recipients?: number;
};

/** Puts one there, whatever would have come before; returns its id. */
export async function putRun(database: Store, run: StandingRun): Promise<number> {
  const { schedule, window = 0, state } = run;
  const { id } = await database
    .insertInto('execution_runs')
    .values({
      schedule,
      window_number: window,
      state,
      claims_paid: run.paid ?? 0,
      claims_total: run.recipients ?? 3,
      paid_amount: run.amount ?? null,
      unpaid_reasons: '{}',
      error_code: run.code ?? null,
      due_at: run.due ?? null,
      created_at: 1,
      finished_at: run.finished ?? null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await changeSchedule(database, schedule, { run_window: window });
  return id;
}
