import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<never>): Promise<void> {
  await sql`create table auditor_grants (
    id text primary key,
    schedule text not null references schedules (address) on delete cascade,
    auditor text not null,
    scope text not null,
    named bytea not null,
    wrapped_key bytea not null,
    key_id text not null,
    created_at bigint not null,
    ends_at bigint not null,
    revoked_at bigint
  )`.execute(database);
  await sql`create index auditor_grants_schedule on auditor_grants (schedule, created_at)`.execute(database);
  await sql`create table grant_uses (
    id bigint generated always as identity primary key,
    grant_id text not null references auditor_grants (id) on delete cascade,
    used_at bigint not null,
    kind text not null,
    window_number bigint,
    subject bytea
  )`.execute(database);
  await sql`create index grant_uses_grant on grant_uses (grant_id, id)`.execute(database);
}
