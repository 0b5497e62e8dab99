import { type Insertable, type Selectable, sql } from 'kysely';
import { type DisabledReason, MAX_ENDPOINTS, type WebhookType } from '../../domain/webhook.ts';
import { countRows } from '../countRows.ts';
import type { Db, WebhookEndpointsTable } from '../schema.ts';
import { deleteRows } from './dataKeys.ts';

/** An endpoint as the store has it. */
export type WebhookEndpoint = Selectable<WebhookEndpointsTable>;

/** What is so of every webhook, and not of people's notices. */
type OfWebhooks = { vault: string; types: WebhookType[]; disabled_why: DisabledReason | null };
/** An endpoint that is an employer's program. */
export type Webhook = Omit<WebhookEndpoint, keyof OfWebhooks> & OfWebhooks;

/** Whose endpoints are meant: those of one schedule, and those of its whole vault. */
export type WebhookScope = { readonly vault: string; readonly schedule: string };

/** Keeps a new endpoint; false if its vault has as many as it may. */
export async function saveWebhook(
  database: Db,
  endpoint: Insertable<WebhookEndpointsTable> & { readonly vault: string },
): Promise<boolean> {
  return database.transaction().execute(async (transaction) => {
    // One at a time for a vault.
    await sql`select pg_advisory_xact_lock(hashtextextended(${`webhooks ${endpoint.vault}`}, 0))`.execute(transaction);
    const count = await countRows(
      transaction,
      'webhook_endpoints',
      sql`vault = ${endpoint.vault} and kind = 'webhook'`,
    );
    if (count >= MAX_ENDPOINTS) return false;
    await transaction.insertInto('webhook_endpoints').values(endpoint).execute();
    return true;
  });
}

const inScope = (database: Db, { vault, schedule }: WebhookScope) =>
  database
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('kind', '=', 'webhook')
    .where('vault', '=', vault)
    .$narrowType<OfWebhooks>()
    .where((each) => each.or([each('schedule', 'is', null), each('schedule', '=', schedule)]));

/** The endpoints that are told of a schedule, oldest first. */
export const listWebhooks = (database: Db, scope: WebhookScope): Promise<Webhook[]> =>
  inScope(database, scope).orderBy('created_at').orderBy('id').execute();

/** One of them. */
export const findWebhook = (database: Db, scope: WebhookScope, id: string): Promise<Webhook | undefined> =>
  inScope(database, scope).where('id', '=', id).executeTakeFirst();

/** An endpoint by its id alone. */
export const findEndpoint = (database: Db, id: string): Promise<WebhookEndpoint | undefined> =>
  database.selectFrom('webhook_endpoints').selectAll().where('id', '=', id).executeTakeFirst();

/**
 * Has others who change an endpoint wait for the end of a transaction. Who changes messages of it, too, asks for this first: two in another
 * order would wait for each other.
 */
export async function lockEndpoint(transaction: Db, id: string): Promise<void> {
  await sql`select from webhook_endpoints where id = ${id}::uuid for no key update`.execute(transaction);
}

/** Forgets an endpoint for good, with its messages; returns how many were removed, 0 or 1. */
export const removeWebhook = (database: Db, id: string): Promise<number> =>
  deleteRows(database, 'webhook_endpoints', sql<boolean>`id = ${id}`);

/** Forgets the endpoints of one schedule alone for good; returns how many. */
export const deleteWebhooksOf = (database: Db, schedule: string): Promise<number> =>
  deleteRows(database, 'webhook_endpoints', sql<boolean>`schedule = ${schedule}`);

/** Replaces an endpoint's content. */
export async function saveWebhookContent(database: Db, id: string, content: Uint8Array): Promise<void> {
  await database.updateTable('webhook_endpoints').set({ content }).where('id', '=', id).execute();
}

/** Notes that a message was delivered: the endpoint works, and is sent messages again if it was disabled. */
export async function noteWorking(database: Db, id: string): Promise<void> {
  await database
    .updateTable('webhook_endpoints')
    .set({ failing_since: null, disabled_at: null, disabled_why: null })
    .where('id', '=', id)
    .where((each) => each.or([each('failing_since', 'is not', null), each('disabled_at', 'is not', null)]))
    .execute();
}

/** Notes that a delivery failed at a time (unix milliseconds), and returns since when all have. */
export async function noteFailing(database: Db, id: string, at: number): Promise<number | undefined> {
  const row = await database
    .updateTable('webhook_endpoints')
    .set(({ fn, val }) => ({ failing_since: fn.coalesce('failing_since', sql<string>`${val(String(at))}::bigint`) }))
    .where('id', '=', id)
    .returning('failing_since')
    .executeTakeFirst();
  return row?.failing_since == null ? undefined : Number(row.failing_since);
}

/** Disables an endpoint, whose messages are kept and not sent any more; false if it was. */
export async function disableWebhook(database: Db, id: string, why: DisabledReason, at: number): Promise<boolean> {
  const { numUpdatedRows } = await database
    .with('ended', (each) =>
      each
        .updateTable('webhook_messages')
        .set({ state: 'failed', next_at: null })
        .where('endpoint_id', '=', id)
        .where('next_at', 'is not', null),
    )
    .updateTable('webhook_endpoints')
    .set({ disabled_at: at, disabled_why: why })
    .where('id', '=', id)
    .where('disabled_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
