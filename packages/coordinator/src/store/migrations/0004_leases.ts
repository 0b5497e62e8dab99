import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<never>): Promise<void> {
  await sql`create table instance_leases (
    executor text primary key,
    instance text not null,
    started_at timestamptz not null default now(),
    expires_at timestamptz not null
  )`.execute(database);
}
