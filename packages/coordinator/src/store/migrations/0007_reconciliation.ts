import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<never>): Promise<void> {
  await sql`create table reconciled_schedules (
    schedule text primary key references schedules (address) on delete cascade,
    window_number bigint not null,
    paid_total text not null
  )`.execute(database);

  await sql`create table reconciliation (
    is_only boolean primary key default true check (is_only),
    place text,
    found jsonb not null default '{}',
    taken_by text,
    taken_until timestamptz not null default '-infinity',
    next_at timestamptz not null default '-infinity',
    remaining jsonb not null default '{}',
    ended_at timestamptz
  )`.execute(database);
  await sql`insert into reconciliation default values`.execute(database);

  await sql`alter table execution_runs add column is_rebuilt boolean not null default false`.execute(database);
  // A round goes over vaults and tokens one after the other; tokens have an index.
  await sql`create index if not exists schedules_vault on schedules (vault)`.execute(database);
}
