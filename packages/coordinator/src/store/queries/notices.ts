import { type Insertable, sql } from 'kysely';
import {
  CODE_MS,
  CODES_AN_HOUR,
  CODES_BY_OWNER,
  CODES_TO_ADDRESS,
  CODES_WITHIN_MS,
  MAX_NOTICES,
  NOTICE_CODE,
  type RecipientNotice,
} from '../../domain/notice.ts';
import { countRows } from '../countRows.ts';
import type { Db, WebhookEndpointsTable } from '../schema.ts';
import { deleteRows } from './dataKeys.ts';
import type { WebhookEndpoint } from './webhooks.ts';

const HOUR_MS = 3_600_000;
/** Rows read at a time. */
const AT_ONCE = 100;

/** Hashes of an owner: under the newest service key first, and during a renewal under the former ones. */
export type OwnerTags = readonly [Buffer, ...Buffer[]];

/** Why a notice is not kept: its owner has as many as they may, or too many codes were sent. */
export type NoticeLimit = 'notices' | 'codes';

/** A notice that is to be kept, and hashes of whose it is and, where a code is sent, of the address. */
export type NewNotice = {
  readonly row: Insertable<WebhookEndpointsTable> & { readonly owner: Buffer };
  readonly owners: OwnerTags;
  readonly address: Buffer | undefined;
  /** Unix milliseconds. */
  readonly now: number;
};

/** Keeps a notice, and has its code sent to its address if it has one; says what there are too many of if it does not. */
export async function addNotice(
  database: Db,
  { row, owners, address, now }: NewNotice,
): Promise<NoticeLimit | undefined> {
  return database.transaction().execute(async (transaction) => {
    // One at a time, so that what is counted is right.
    await sql`select pg_advisory_xact_lock(hashtextextended('notices', 0))`.execute(transaction);
    const own = await countRows(transaction, 'webhook_endpoints', sql`owner = any(${owners}::bytea[])`);
    if (own >= MAX_NOTICES) return 'notices';
    if (address !== undefined && !(await mayBeSentCode(transaction, owners, address, now))) return 'codes';
    await transaction.insertInto('webhook_endpoints').values(row).execute();
    if (address === undefined) return undefined;
    await transaction.insertInto('notice_codes').values({ owner: row.owner, address, sent_at: now }).execute();
    await transaction
      .insertInto('webhook_messages')
      .values({ endpoint_id: row.id, type: NOTICE_CODE, at: now, data: '{}', state: 'pending', next_at: 0 })
      .execute();
    return undefined;
  });
}

async function mayBeSentCode(database: Db, owners: OwnerTags, address: Buffer, now: number): Promise<boolean> {
  const { rows } = await sql<Record<'own' | 'there' | 'all', number>>`
    select (count(*) filter (where owner = any(${owners}::bytea[])))::float8 as own,
      (count(*) filter (where address = ${address}::bytea))::float8 as there,
      (count(*) filter (where sent_at > ${String(now - HOUR_MS)}::bigint))::float8 as all
    from notice_codes where sent_at > ${String(now - CODES_WITHIN_MS)}::bigint`.execute(database);
  const [counts] = rows as [(typeof rows)[number]];
  return counts.own < CODES_BY_OWNER && counts.there < CODES_TO_ADDRESS && counts.all < CODES_AN_HOUR;
}

/** The notices of an owner, oldest first. */
export const listNotices = (database: Db, owners: OwnerTags): Promise<WebhookEndpoint[]> =>
  database
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('owner', 'in', [...owners])
    .orderBy('created_at')
    .orderBy('id')
    .execute();

/** One of them. */
export const findNotice = (database: Db, owners: OwnerTags, id: string): Promise<WebhookEndpoint | undefined> =>
  database
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('owner', 'in', [...owners])
    .where('id', '=', id)
    .executeTakeFirst();

/** Has a notice sent from now on, whose address has sent its code back. */
export async function confirmNotice(database: Db, id: string): Promise<void> {
  await database
    .updateTable('webhook_endpoints')
    .set({ disabled_at: null, disabled_why: null })
    .where('id', '=', id)
    .where('disabled_why', '=', 'unconfirmed')
    .execute();
}

/** Has an employer's notice leave nothing for so many milliseconds: what happens meanwhile is told together. */
export async function pauseNotice(database: Db, id: string, milliseconds: number): Promise<void> {
  await sql`update webhook_endpoints set next_from = (extract(epoch from clock_timestamp()) * 1000)::bigint + ${milliseconds}::bigint
    where id = ${id}::uuid and kind <> 'webhook' and vault is not null`.execute(database);
}

/** Forgets the notice of an unsubscribe link for good; returns how many were removed, 0 or 1. */
export const removeUnsubscribed = (database: Db, hash: Uint8Array): Promise<number> =>
  deleteRows(database, 'webhook_endpoints', sql<boolean>`unsubscribe_hash = ${hash}`);

/** Forgets for good what was not confirmed in time, and codes that count no longer. `now` in unix milliseconds. */
export async function removeUnconfirmed(database: Db, now: number): Promise<void> {
  const late = sql<boolean>`disabled_why = 'unconfirmed' and created_at <= ${String(now - CODE_MS)}::bigint`;
  await deleteRows(database, 'webhook_endpoints', late);
  await database
    .deleteFrom('notice_codes')
    .where('sent_at', '<=', String(now - CODES_WITHIN_MS))
    .execute();
}

/** What recipients with these hashes want to be told of. */
export const findNoticesOf = (
  database: Db,
  owners: readonly Buffer[],
  type: RecipientNotice,
): Promise<WebhookEndpoint[]> =>
  database
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('owner', '=', sql<Buffer>`any(${owners}::bytea[])`)
    .where('vault', 'is', null)
    .where('disabled_at', 'is', null)
    .where(sql<boolean>`${type} = any(types)`)
    .orderBy('id')
    .execute();

/** Whether any recipient wants to be told of something. */
export async function areNoticesOf(database: Db, type: RecipientNotice): Promise<boolean> {
  const { rows } = await sql<{ are: boolean }>`select exists (
    select from webhook_endpoints where vault is null and disabled_at is null and ${type} = any(types)) as are`.execute(
    database,
  );
  return rows[0]?.are === true;
}

/** A message for a recipient; `at`: when it leaves, unix milliseconds. */
export type RecipientMessage = {
  readonly endpointId: string;
  readonly type: RecipientNotice;
  readonly at: number;
  readonly sealed: Uint8Array | null;
};

/** Has a recipient told, unless as much waits for them as may. Nothing shows when it happened: `at` is when it leaves. */
export async function addRecipientMessage(
  database: Db,
  { endpointId, type, at, sealed }: RecipientMessage,
): Promise<void> {
  await sql`
    insert into webhook_messages (endpoint_id, type, at, data, sealed, state, next_at)
    select endpoint.id, ${type}, ${String(at)}::bigint, '{}', ${sealed}::bytea, 'pending', ${String(at)}::bigint
    from webhook_endpoints as endpoint where endpoint.id = ${endpointId}::uuid and endpoint.most_waiting > (
      select count(*) from webhook_messages
      where endpoint_id = ${endpointId}::uuid and type = ${type} and next_at is not null)`.execute(database);
}

/** Settled runs whose recipients are to be told, the first ones. */
export async function listNoticeRuns(database: Db): Promise<{ readonly runId: number; readonly window: bigint }[]> {
  const rows = await database
    .selectFrom('notice_runs')
    .innerJoin('execution_runs as run', 'run.id', 'run_id')
    .select(['run_id', 'run.window_number'])
    .orderBy('run_id')
    .limit(AT_ONCE)
    .execute();
  return rows.map(({ run_id: runId, window_number: window }) => ({ runId, window: BigInt(window) }));
}

/** Notes that a run's recipients are told; false if somebody else has noted it. */
export async function endNoticeRun(database: Db, runId: number): Promise<boolean> {
  const { numDeletedRows } = await database.deleteFrom('notice_runs').where('run_id', '=', runId).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Some of the notices whose owner is hashed under one of these service keys. */
export const findNoticesKeyed = (database: Db, keyNames: readonly string[]): Promise<WebhookEndpoint[]> =>
  database
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('owner_key', '=', sql<string>`any(${keyNames}::text[])`)
    .limit(AT_ONCE)
    .execute();

/** Keeps a notice under another hash of its owner. */
export async function saveNoticeOwner(
  database: Db,
  id: string,
  owner: { readonly owner: Buffer; readonly owner_key: string },
): Promise<void> {
  await database.updateTable('webhook_endpoints').set(owner).where('id', '=', id).execute();
}
