import { type Selectable, sql } from 'kysely';
import type { MessageState, WebhookType } from '../../domain/webhook.ts';
import { countRows } from '../countRows.ts';
import type { Db, DeliveryAttempt, WebhookMessagesTable } from '../schema.ts';

/** A message to whomever, as the store has it. */
export type EndpointMessage = Selectable<WebhookMessagesTable>;

/** What is so of every message to a webhook, and not of notices. */
type OfWebhooks = { type: WebhookType | 'webhook.test'; schedule: string };
/** A message to an employer's program. */
export type WebhookMessage = Omit<EndpointMessage, keyof OfWebhooks> & OfWebhooks;

/** Tries of a message that are kept. */
const KEPT_ATTEMPTS = 20;
/** Messages that are replayed at a time, at most. */
export const MAX_REPLAYED = 1_000;

/** Unix milliseconds by the database's clock: those of the processes may differ. */
const NOW = sql<string>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** Places for what is under way at a time: of one kind (program, mail or chat), and of these for one vault or one recipient. */
export type DeliveryPlaces = { readonly ofKind: number; readonly ofOwner: number };

/**
 * Takes messages that are due, one for each endpoint and none of those `underWay`, as far as these leave places: a slow receiver keeps no other
 * waiting, nor do many of one vault, nor programs people. Among owners a lot decides, so that nobody comes first by asking for tests or replays.
 * What is taken is due again after `leaseMs`, if nothing is recorded of it by then: its process has died. Until then `next_at` is the lease.
 */
export async function takeMessages(
  database: Db,
  underWay: readonly string[],
  { ofKind, ofOwner }: DeliveryPlaces,
  leaseMs: number,
): Promise<EndpointMessage[]> {
  const { rows } = await sql<EndpointMessage>`
    with due as (
      select distinct on (endpoint_id) id, endpoint_id from webhook_messages
      where next_at <= ${NOW} and endpoint_id <> all(${underWay}::uuid[])
      order by endpoint_id, number
    ), one as (
      select null::uuid as id, kind, coalesce(vault, encode(owner, 'hex')) as owner, true as is_busy
      from webhook_endpoints where id = any(${underWay}::uuid[])
      union all
      select due.id, kind, coalesce(vault, encode(owner, 'hex')), false
      from due join webhook_endpoints as endpoint on endpoint.id = endpoint_id
    ), of_owner as (
      select *, row_number() over (partition by kind, owner order by is_busy desc, random()) as nth from one
    ), of_kind as (
      select id, row_number() over (partition by kind order by is_busy desc, nth, random()) as nth
      from of_owner where is_busy or nth <= ${ofOwner}
    ), free as (
      select id from webhook_messages where id in (select id from of_kind where nth <= ${ofKind} and id is not null) and next_at <= ${NOW}
      for update skip locked
    )
    update webhook_messages as message set next_at = ${NOW} + ${leaseMs}::bigint from free
    where message.id = free.id returning message.*`.execute(database);
  return rows;
}

/**
 * Records what a try came to; `retryMs` undefined: there is no further one. Nothing, and false, if the message isn't as it was taken:
 * another process has it, it was ended, it was replayed, or it was forgotten.
 */
export async function recordDelivery(
  database: Db,
  { id, tries, next_at: lease }: Pick<EndpointMessage, 'id' | 'tries' | 'next_at'>,
  attempt: DeliveryAttempt,
  retryMs: number | undefined,
): Promise<boolean> {
  const state: MessageState =
    attempt.outcome === 'delivered' ? 'delivered' : retryMs === undefined ? 'failed' : 'pending';
  const nextAt = state === 'pending' ? sql`${NOW} + ${retryMs}::bigint` : sql`null::bigint`;
  const { numAffectedRows = 0n } =
    await sql`update webhook_messages set state = ${state}, next_at = ${nextAt}, tries = ${tries + 1},
      attempts = (case when jsonb_array_length(attempts) >= ${KEPT_ATTEMPTS} then attempts - 0 else attempts end)
        || ${JSON.stringify([attempt])}::jsonb
    where id = ${id}::uuid and next_at = ${lease}::bigint`.execute(database);
  return numAffectedRows > 0n;
}

/** Forgets messages of an endpoint, one or all: those to a recipient are kept no longer than it takes to send them. */
export async function forgetMessages(database: Db, endpointId: string, id: string | undefined): Promise<void> {
  const all = database.deleteFrom('webhook_messages').where('endpoint_id', '=', endpointId);
  await (id === undefined ? all : all.where('id', '=', id)).execute();
}

/** The last messages of a webhook, newest first. */
export const listMessages = (database: Db, endpointId: string, limit: number): Promise<WebhookMessage[]> =>
  database
    .selectFrom('webhook_messages')
    .selectAll()
    .where('endpoint_id', '=', endpointId)
    .$narrowType<OfWebhooks>()
    .orderBy('number', 'desc')
    .limit(limit)
    .execute();

/** Has a message of no run sent to an endpoint, disabled or not; returns its id. */
export async function addTestMessage(
  database: Db,
  { endpointId, schedule }: { readonly endpointId: string; readonly schedule: string },
): Promise<string> {
  const { id } = await database
    .insertInto('webhook_messages')
    .values({
      endpoint_id: endpointId,
      type: 'webhook.test',
      at: NOW,
      schedule,
      data: JSON.stringify({ schedulePda: schedule }),
      state: 'pending',
      next_at: 0,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Which messages of an endpoint are to be sent again: one, or those since a moment (unix milliseconds). */
export type Replayed = { readonly id: string } | { readonly since: number };

/** Has messages sent again, oldest first, whatever became of them; returns how many. */
export async function replayMessages(database: Db, endpointId: string, replayed: Replayed): Promise<number> {
  const which = 'id' in replayed ? sql`id = ${replayed.id}::uuid` : sql`at >= ${String(replayed.since)}::bigint`;
  const { numAffectedRows = 0n } = await sql`
    update webhook_messages set state = 'pending', next_at = 0, tries = 0
    where id in (
      select id from webhook_messages where endpoint_id = ${endpointId}::uuid and ${which} and next_at is distinct from 0
      order by number limit ${MAX_REPLAYED}
    )`.execute(database);
  return Number(numAffectedRows);
}

/** Webhooks by state, and what waits to be sent: from small tables. */
export async function countWebhooks(database: Db) {
  const { rows } = await sql<Record<'active' | 'failing' | 'disabled' | 'pending' | 'oldest', string | null>>`
    select count(*) filter (where disabled_at is null and failing_since is null) as active,
      count(*) filter (where disabled_at is null and failing_since is not null) as failing,
      count(*) filter (where disabled_at is not null) as disabled,
      (select count(*) from webhook_messages where next_at is not null) as pending,
      (select ${NOW} - min(greatest(next_at, at)) from webhook_messages where next_at is not null) as oldest
    from webhook_endpoints where disabled_why is distinct from 'unconfirmed'`.execute(database);
  const [row] = rows as [(typeof rows)[number]];
  const { active, failing, disabled, pending, oldest } = row;
  return {
    active: Number(active),
    failing: Number(failing),
    disabled: Number(disabled),
    pending: Number(pending),
    oldestSeconds: Math.max(0, Number(oldest ?? 0) / 1_000),
  };
}

/** Removes messages that are older than a moment (unix milliseconds), whatever became of them. */
export async function removeMessagesBefore(database: Db, before: number): Promise<void> {
  await database.deleteFrom('webhook_messages').where('at', '<', String(before)).execute();
}

/** How many messages are older than a moment, in unix milliseconds. */
export const countMessagesBefore = (database: Db, before: number): Promise<number> =>
  countRows(database, 'webhook_messages', sql`at < ${String(before)}::bigint`);
