import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<never>): Promise<void> {
  await sql`create table settlements (
    run_id integer primary key references execution_runs (id) on delete cascade,
    attempt_id integer not null references execution_attempts (id) on delete cascade,
    mint text not null,
    schedule text not null,
    window_number bigint not null,
    error_code text,
    error_detail text
  )`.execute(database);
  await sql`create index settlements_asked on settlements (mint) where error_code is null`.execute(database);

  // One transaction settles the windows of several runs.
  await sql`create table settled_runs (
    transaction_id integer not null references ledger_transactions (id) on delete cascade,
    run_id integer not null references execution_runs (id) on delete cascade,
    attempt_id integer not null references execution_attempts (id) on delete cascade,
    primary key (transaction_id, run_id)
  )`.execute(database);
  await sql`create index settled_runs_run on settled_runs (run_id)`.execute(database);
  await sql`insert into settled_runs (transaction_id, run_id, attempt_id)
    select id, run_id, attempt_id from ledger_transactions where purpose = 'settle' and run_id is not null`.execute(
    database,
  );
  await sql`update ledger_transactions set run_id = null, attempt_id = null where purpose = 'settle'`.execute(database);
  await sql`create index execution_runs_begun on execution_runs (schedule)
    where finished_at is null and started_at is not null`.execute(database);
}
