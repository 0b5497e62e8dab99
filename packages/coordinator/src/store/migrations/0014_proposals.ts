import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<never>): Promise<void> {
  // What waits for the approver of a schedule; null: nothing. It stands there once the schedule was read again.
  await sql`alter table schedules add column proposal jsonb`.execute(database);
}
