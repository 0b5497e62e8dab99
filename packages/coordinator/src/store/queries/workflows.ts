import { type Kysely, sql } from 'kysely';
import { ENDED, ENGINE_SCHEMA } from '../db/engineTables.ts';
import type { Tables } from '../schema.ts';

/** Forgets what the engine kept of workflows that are over. */
export async function forgetWorkflows(database: Kysely<Tables>, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const table = sql.id(ENGINE_SCHEMA, 'workflow_status');
  await sql`delete from ${table} where workflow_uuid in (${sql.join(ids)})`.execute(database);
}

/** Of these workflows, those that the engine has never heard of, or has ended. */
export async function findIdle(database: Kysely<Tables>, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const table = sql.id(ENGINE_SCHEMA, 'workflow_status');
  const { rows } = await sql<{ id: string }>`
    select id from unnest(${ids}::text[]) as id
    where not exists (select from ${table} where workflow_uuid = id and status <> all(${ENDED}))`.execute(database);
  return rows.map(({ id }) => id);
}
