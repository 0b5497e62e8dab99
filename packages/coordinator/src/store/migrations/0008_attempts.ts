import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<never>): Promise<void> {
  await sql`update execution_attempts as former set outcome = 'interrupted', ended_at = started_at
    where outcome = 'running' and exists (select 1 from execution_attempts as later
      where later.run_id = former.run_id and later.outcome = 'running' and later.id > former.id)`.execute(database);
  // Whoever begins a try must have cut off the one before, so that it can't be recorded as the run's.
  await sql`create unique index execution_attempts_running on execution_attempts (run_id)
    where outcome = 'running'`.execute(database);
}
