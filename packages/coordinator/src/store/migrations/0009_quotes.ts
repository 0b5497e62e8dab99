import { type Kysely, sql } from 'kysely';

export async function up(database: Kysely<never>): Promise<void> {
  await sql`alter table execution_attempts add column quote_hash text`.execute(database);
}
