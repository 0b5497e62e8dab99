import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<never>): Promise<void> {
  await sql`alter table execution_runs add column retries_after integer not null default 0`.execute(database);
  await sql`create table abandoned_runs (
    run_id integer primary key references execution_runs (id) on delete cascade,
    reason bytea not null,
    key_id text not null,
    abandoned_at bigint not null
  )`.execute(database);

  await sql`create table vaults (
    address text primary key,
    mint text not null,
    decimals integer not null,
    symbol text,
    reserved text not null,
    available text not null,
    seen_slot bigint not null,
    seen_at bigint not null
  )`.execute(database);
  await sql`create index vaults_seen on vaults (seen_at)`.execute(database);
  await sql`alter table schedules
    add column covered_windows integer,
    add column short_amount text,
    add column short_at bigint`.execute(database);
  await sql`create index schedules_covered on schedules (covered_windows) where status = 'active'`.execute(database);
}
