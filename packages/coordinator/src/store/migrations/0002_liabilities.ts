import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<never>): Promise<void> {
  await sql`alter table schedules
    add column unit text not null default 'seconds',
    add column every integer not null default 1,
    add column day integer not null default 0`.execute(database);
  await sql`update schedules set every = interval_seconds`.execute(database);
  await sql`alter table schedules
    drop column interval_seconds,
    alter column unit drop default,
    alter column every drop default,
    alter column day drop default`.execute(database);
  await sql`create index schedules_open_of_mint on schedules (mint) where phase = 'open'`.execute(database);
  await sql`create index schedules_mint on schedules (mint)`.execute(database);

  // A recording between settlements belongs to no run.
  await sql`alter table ledger_transactions
    alter column run_id drop not null,
    alter column attempt_id drop not null`.execute(database);

  await sql`create table liability_trees (
    mint text primary key,
    wrapped_key bytea not null,
    key_id text not null,
    created_at bigint not null
  )`.execute(database);
  await sql`create table liability_recordings (
    mint text not null references liability_trees (mint) on delete cascade,
    number bigint not null,
    sequence bigint not null,
    root text not null,
    total text not null,
    covered_to text not null,
    leaves integer not null,
    transaction_id integer references ledger_transactions (id) on delete set null,
    created_at bigint not null,
    primary key (mint, number)
  )`.execute(database);
  await sql`create table liability_chunks (
    mint text not null references liability_trees (mint) on delete cascade,
    chunk integer not null,
    part text not null,
    number bigint not null,
    content bytea not null,
    primary key (mint, chunk, part, number)
  )`.execute(database);
}
