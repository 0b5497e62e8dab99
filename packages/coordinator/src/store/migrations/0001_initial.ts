import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<never>): Promise<void> {
  await sql`create table schedules (
    address text primary key,
    vault text not null,
    mint text not null,
    root text not null,
    root_version integer not null,
    status text not null,
    phase text not null,
    window_number bigint not null,
    next_execution bigint not null,
    executions_left integer not null,
    recipients integer not null,
    amount text not null,
    interval_seconds bigint not null,
    batch_timeout integer not null,
    run_window bigint,
    seen_slot bigint not null,
    seen_at bigint not null,
    registered_at bigint not null
  )`.execute(database);
  // What a poll asks: due by time, or open, and no run for the window yet.
  await sql`create index schedules_due on schedules (next_execution)
    where status = 'active' and (run_window is null or run_window < window_number)`.execute(database);
  await sql`create index schedules_open on schedules (address)
    where phase = 'open' and (run_window is null or run_window < window_number)`.execute(database);
  await sql`create index schedules_seen on schedules (seen_at)`.execute(database);

  await sql`create table recipient_lists (
    id integer generated always as identity primary key,
    schedule text not null references schedules (address) on delete cascade,
    root text not null,
    recipients integer not null,
    wrapped_key bytea not null,
    key_id text not null,
    known_balances bytea not null,
    registered_at bigint not null,
    unique (schedule, root)
  )`.execute(database);
  await sql`create table recipient_list_chunks (
    list_id integer not null references recipient_lists (id) on delete cascade,
    number integer not null,
    content bytea not null,
    primary key (list_id, number)
  )`.execute(database);

  await sql`create table execution_runs (
    id integer generated always as identity primary key,
    schedule text not null references schedules (address) on delete cascade,
    window_number bigint not null,
    state text not null,
    stage text,
    claims_paid integer not null default 0,
    claims_total integer not null,
    unpaid integer not null default 0,
    paid_amount text,
    unpaid_reasons jsonb not null default '{}',
    error_code text,
    error_detail text,
    batch_deadline bigint,
    resume_at bigint,
    created_at bigint not null,
    started_at bigint,
    finished_at bigint,
    unique (schedule, window_number)
  )`.execute(database);
  await sql`create index execution_runs_resume on execution_runs (resume_at) where resume_at is not null`.execute(
    database,
  );
  await sql`create index execution_runs_unfinished on execution_runs (id) where finished_at is null`.execute(database);

  await sql`create table execution_attempts (
    id integer generated always as identity primary key,
    run_id integer not null references execution_runs (id) on delete cascade,
    stage text not null,
    number integer not null,
    outcome text not null,
    error_code text,
    error_detail text,
    started_at bigint not null,
    ended_at bigint
  )`.execute(database);
  await sql`create index execution_attempts_run on execution_attempts (run_id, id)`.execute(database);

  await sql`create table ledger_transactions (
    id integer generated always as identity primary key,
    run_id integer not null references execution_runs (id) on delete cascade,
    attempt_id integer not null references execution_attempts (id) on delete cascade,
    ledger text not null,
    purpose text not null,
    signature text not null unique,
    wire text not null,
    last_valid_block_height bigint not null,
    outcome text not null,
    created_at bigint not null
  )`.execute(database);
  await sql`create index ledger_transactions_run on ledger_transactions (run_id, purpose, id)`.execute(database);
}
