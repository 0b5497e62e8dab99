import { type Kysely, sql } from 'kysely';
import { ENGINE_SCHEMA } from '../../workflow/engineTables.ts';
import type { Tables } from '../schema.ts';

/** Forgets what the engine kept of workflows that are over. */
export async function forgetWorkflows(database: Kysely<Tables>, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const table = sql.id(ENGINE_SCHEMA, 'workflow_status');
  await sql`delete from ${table} where workflow_uuid in (${sql.join(ids)})`.execute(database);
}
