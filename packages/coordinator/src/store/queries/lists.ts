import type { Recipient } from '@payouts/client';
import { type Selectable, sql, type Transaction } from 'kysely';
import { BLOCK_RECIPIENTS, ListRecords, recipientsOf, recipientsWith } from '../../domain/listRecords.ts';
import { groupedBy } from '../../platform/groupedBy.ts';
import { decrypt, encrypt, newListKey } from '../crypto/cipher.ts';
import { listKey, placeOfList } from '../crypto/listKey.ts';
import { associatedData, type ListPlace } from '../crypto/listPlace.ts';
import type { PayloadKeys } from '../crypto/payloadKeys.ts';
import { grouped } from '../grouped.ts';
import { recordset } from '../recordset.ts';
import type { Db, Tables } from '../schema.ts';
import type { ObservedSchedule } from './schedules.ts';

export const LIST_COLUMNS = ['id', 'schedule', 'root', 'recipients', 'wrapped_key', 'key_id', 'places'] as const;

/** A registered list without its content. */
export type ListRow = Pick<Selectable<Tables['recipient_lists']>, (typeof LIST_COLUMNS)[number]>;

/** Blocks in one statement: a megabyte, for which the embedded database keeps the event loop some 40 milliseconds. */
const ROWS_AT_ONCE = 4;

/** Entries of one address that are read of a list, the first ones: an employer may name it a million times. */
export const MOST_OF_A_LIST = 500;

/** The list registered for a schedule and a root (hexadecimal). */
export const findList = (database: Db, schedule: string, root: string): Promise<ListRow | undefined> =>
  findTogether(database, { schedule, root });

/** The lists that these schedules promise now, as they were seen last, of so many recipients or more. */
export async function findLargeLists(
  database: Db,
  schedules: readonly string[],
  recipients: number,
): Promise<ListRow[]> {
  const { rows } = await sql<ListRow>`
    select ${sql.join(LIST_COLUMNS.map((name) => sql.id('list', name)))}
    from schedules join recipient_lists as list on list.schedule = schedules.address and list.root = schedules.root
    where schedules.address = any(${schedules}) and list.recipients >= ${recipients}`.execute(database);
  return rows;
}

type Registered = { readonly schedule: string; readonly root: string };

const keyOf = ({ schedule, root }: Registered) => `${schedule} ${root}`;

const findTogether = grouped<Registered, ListRow | undefined>({
  keyOf,
  async ask(database, asked) {
    const { rows } = await sql<ListRow>`
      with asked as materialized (${recordset({ schedule: 'text', root: 'text' }, asked)})
      select ${sql.join(LIST_COLUMNS.map((name) => sql.id('list', name)))}
      from asked join recipient_lists as list on list.schedule = asked.schedule and list.root = asked.root`.execute(
      database,
    );
    const found = new Map(rows.map((row) => [keyOf(row), row]));
    return asked.map((one) => found.get(keyOf(one)));
  },
});

/** What a registration stores, `at` in unix milliseconds. */
export type Registration = {
  readonly schedule: ObservedSchedule & { readonly employer: string | null };
  readonly root: Uint8Array;
  readonly records: ListRecords;
  readonly payloadKeys: PayloadKeys;
  readonly at: number;
};

/** Gives a registration's outcome to whoever keeps it in the same transaction. */
type Keep<T> = (transaction: Transaction<Tables>, isNew: boolean) => Promise<T>;

/**
 * Stores a schedule and its list, all or nothing, with what `keep` does. The list is undefined if somebody else has registered the
 * same list meanwhile.
 */
export async function registerList<T>(
  database: Db,
  { schedule, root, records, payloadKeys, at }: Registration,
  keep: Keep<T>,
): Promise<{ readonly list: ListRow | undefined; readonly kept: T }> {
  const place: ListPlace = { schedule: schedule.address, root, recipients: records.count };
  const key = newListKey();
  // Encrypted before the transaction: it would keep the embedded database's only session for as long as this takes.
  const blocks = records.blocks.map((block, number) => encrypt(key, block, associatedData(place, number)));
  const { keyId, wrapped } = await payloadKeys.wrap(key, associatedData(place, 'key'));
  return database.transaction().execute(async (transaction) => {
    await saveSchedule(transaction, schedule, at);
    const list = await transaction
      .insertInto('recipient_lists')
      .values({
        schedule: schedule.address,
        root: Buffer.from(root).toString('hex'),
        recipients: records.count,
        wrapped_key: wrapped,
        key_id: keyId,
        registered_at: at,
      })
      .onConflict((conflict) => conflict.columns(['schedule', 'root']).doNothing())
      .returning(LIST_COLUMNS)
      .executeTakeFirst();
    if (list !== undefined) {
      const rows = blocks.map((content, number) => ({ list_id: list.id, number, content }));
      for (let first = 0; first < rows.length; first += ROWS_AT_ONCE) {
        const some = rows.slice(first, first + ROWS_AT_ONCE);
        await transaction.insertInto('recipient_list_chunks').values(some).execute();
      }
    }
    return { list, kept: await keep(transaction, list !== undefined) };
  });
}

/** A schedule that is registered again keeps what is known of it; who the employer is may not have been kept before. */
async function saveSchedule(
  transaction: Transaction<Tables>,
  schedule: Registration['schedule'],
  at: number,
): Promise<void> {
  await transaction
    .insertInto('schedules')
    .values({ ...schedule, registered_at: at })
    .onConflict((conflict) =>
      conflict.column('address').doUpdateSet({ employer: schedule.employer }).where('schedules.employer', 'is', null),
    )
    .execute();
}

/**
 * A list's blocks of records from block `first` on, decrypted one after the other. Each is read together with the list's key, which may be
 * renewed meanwhile. Throws `WrongPayloadKey` or `DecryptionFailed`.
 */
export async function* openBlocks(
  database: Db,
  list: Omit<ListRow, 'places'>,
  payloadKeys: PayloadKeys,
  first = 0,
): AsyncGenerator<{ readonly number: number; readonly block: Uint8Array }> {
  const place = placeOfList(list);
  let opened: { readonly wrapped: Uint8Array; readonly key: Uint8Array } | undefined;
  for (let number = first; number * BLOCK_RECIPIENTS < list.recipients; number++) {
    const { content, ...stored } = await database
      .selectFrom('recipient_list_chunks')
      .innerJoin('recipient_lists as list', 'list.id', 'list_id')
      .select(['content', 'list.wrapped_key', 'list.key_id'])
      .where('list_id', '=', list.id)
      .where('number', '=', number)
      .executeTakeFirstOrThrow();
    if (opened === undefined || Buffer.compare(opened.wrapped, stored.wrapped_key) !== 0) {
      opened = { wrapped: stored.wrapped_key, key: await listKey({ ...list, ...stored }, payloadKeys) };
    }
    const { key } = opened;
    yield { number, block: decrypt(key, content, associatedData(place, number)) };
  }
}

/** Reads and decrypts a list as records. Throws `WrongPayloadKey` or `DecryptionFailed`. */
export async function readRecords(database: Db, list: ListRow, payloadKeys: PayloadKeys): Promise<ListRecords> {
  const blocks: Uint8Array[] = [];
  for await (const { block } of openBlocks(database, list, payloadKeys)) blocks.push(block);
  return new ListRecords(list.recipients, blocks);
}

/** Reads and decrypts a list in order of index. Throws `WrongPayloadKey` or `DecryptionFailed`. */
export async function readRecipients(database: Db, list: ListRow, payloadKeys: PayloadKeys): Promise<Recipient[]> {
  return (await readRecords(database, list, payloadKeys)).recipients();
}

/** Recipients `first` to `first + count`, as far as the list goes. Throws `WrongPayloadKey` or `DecryptionFailed`. */
export async function readPage(
  database: Db,
  list: ListRow,
  payloadKeys: PayloadKeys,
  first: number,
  count: number,
): Promise<Recipient[]> {
  const page: Recipient[] = [];
  const firstBlock = Math.floor(first / BLOCK_RECIPIENTS);
  for await (const { number, block } of openBlocks(database, list, payloadKeys, firstBlock)) {
    const from = Math.max(0, first - number * BLOCK_RECIPIENTS);
    for (const recipient of recipientsOf(block, number, from, count - page.length)) page.push(recipient);
    if (page.length === count) break;
  }
  return page;
}

/** The entries in these places, in ascending order; each block is read once. Throws `WrongPayloadKey` or `DecryptionFailed`. */
export async function readPlaces(
  database: Db,
  list: ListRow,
  payloadKeys: PayloadKeys,
  places: readonly number[],
): Promise<Recipient[]> {
  const entries: Recipient[] = [];
  for (const [first, ofBlock] of groupedBy(places, (place) => Math.floor(place / BLOCK_RECIPIENTS))) {
    for await (const { number, block } of openBlocks(database, list, payloadKeys, first)) {
      for (const place of ofBlock) entries.push(...recipientsOf(block, number, place - number * BLOCK_RECIPIENTS, 1));
      break;
    }
  }
  return entries;
}

/** The entries of an address (32 bytes), in order of index, the first 500. Throws `WrongPayloadKey` or `DecryptionFailed`. */
export async function findEntries(
  database: Db,
  list: ListRow,
  payloadKeys: PayloadKeys,
  address: Uint8Array,
): Promise<Recipient[]> {
  const found: Recipient[] = [];
  for await (const { number, block } of openBlocks(database, list, payloadKeys)) {
    found.push(...recipientsWith(block, number, address));
    if (found.length >= MOST_OF_A_LIST) break;
  }
  return found.slice(0, MOST_OF_A_LIST);
}
