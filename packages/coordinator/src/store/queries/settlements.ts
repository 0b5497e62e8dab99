import { sql } from 'kysely';
import { grouped } from '../grouped.ts';
import { type Columns, recordset } from '../recordset.ts';
import type { Db } from '../schema.ts';

/** A returned window that is to be settled, for a run and the try of its stage that waits for it. */
export type SettlementRequest = {
  readonly runId: number;
  readonly attemptId: number;
  readonly mint: string;
  readonly schedule: string;
  readonly window: bigint;
};
const REQUESTED: Columns = {
  run_id: 'integer',
  attempt_id: 'integer',
  mint: 'text',
  schedule: 'text',
  window_number: 'bigint',
};

/** Why a settlement failed: a run's error code, and its public text. */
export type Refusal = { readonly code: string; readonly message: string };

/** Keeps that a run's window is to be settled; asked again, the newer try counts and a refusal is forgotten. */
export const requestSettlement: (database: Db, asked: SettlementRequest) => Promise<void> = grouped<
  SettlementRequest,
  undefined
>({
  keyOf: ({ runId }) => String(runId),
  async ask(database, requests) {
    const rows = requests.map(({ runId, attemptId, mint, schedule, window }) => {
      return { run_id: runId, attempt_id: attemptId, mint, schedule, window_number: window.toString() };
    });
    await sql`
      insert into settlements (run_id, attempt_id, mint, schedule, window_number)
      select run_id, attempt_id, mint, schedule, window_number from (${recordset(REQUESTED, rows)}) as requested order by run_id
      on conflict (run_id) do update set attempt_id = excluded.attempt_id, error_code = null, error_detail = null`.execute(
      database,
    );
    return requests.map(() => undefined);
  },
});

/** Settlements of these tokens that wait, in the order of their runs, without those of the runs `known`. */
export async function findSettlements(
  database: Db,
  mints: readonly string[],
  known: readonly number[],
  limit: number,
): Promise<SettlementRequest[]> {
  if (mints.length === 0) return [];
  const rows = await database
    .selectFrom('settlements')
    .select(['run_id', 'attempt_id', 'mint', 'schedule', 'window_number'])
    .where('mint', 'in', mints)
    .where('error_code', 'is', null)
    .where(sql<boolean>`run_id <> all(${known}::integer[])`)
    .orderBy('run_id')
    .limit(limit)
    .execute();
  return rows.map(({ run_id, attempt_id, mint, schedule, window_number }) => ({
    runId: run_id,
    attemptId: attempt_id,
    mint,
    schedule,
    window: BigInt(window_number),
  }));
}

/** Answers a settlement that waits, unless a newer try has asked for it again. */
export async function refuseSettlement(
  database: Db,
  { runId, attemptId }: SettlementRequest,
  refusal: Refusal,
): Promise<void> {
  await database
    .updateTable('settlements')
    .set({ error_code: refusal.code, error_detail: refusal.message })
    .where('run_id', '=', runId)
    .where('attempt_id', '=', attemptId)
    .execute();
}

/** What became of these settlements, by run: why they were refused, or null where they wait; nothing of those that are done. */
export async function findAnswers(
  database: Db,
  runIds: readonly number[],
): Promise<ReadonlyMap<number, Refusal | null>> {
  if (runIds.length === 0) return new Map();
  const rows = await database
    .selectFrom('settlements')
    .select(['run_id', 'error_code', 'error_detail'])
    .where('run_id', 'in', runIds)
    .execute();
  return new Map(
    rows.map(({ run_id, error_code, error_detail }) => [
      run_id,
      error_code === null ? null : { code: error_code, message: error_detail ?? '' },
    ]),
  );
}

/** Forgets settlements that are done, or wanted no more. */
export async function deleteSettlements(database: Db, runIds: readonly number[]): Promise<void> {
  if (runIds.length > 0) await database.deleteFrom('settlements').where('run_id', 'in', runIds).execute();
}
