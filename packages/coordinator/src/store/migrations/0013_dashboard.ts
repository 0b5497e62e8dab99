import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<never>): Promise<void> {
  // Unix seconds; of runs recorded before this it is not known.
  await sql`alter table execution_runs add column due_at bigint`.execute(database);
  // Over runs enter once: a run at work changes none of these.
  await sql`create index execution_runs_over on execution_runs (state, id) where finished_at is not null`.execute(
    database,
  );
  await sql`create index execution_runs_finished on execution_runs (finished_at) where finished_at is not null`.execute(
    database,
  );
  await sql`create index execution_attempts_failed on execution_attempts (ended_at) where error_code is not null`.execute(
    database,
  );
  await sql`create index schedules_employer on schedules (employer, address)`.execute(database);
  await sql`create index schedules_short on schedules (short_at) where status = 'active' and short_at is not null`.execute(
    database,
  );
}
