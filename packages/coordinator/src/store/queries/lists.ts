import type { Kysely } from 'kysely';
import type { PayableRecipient } from '../../domain/recipient.ts';
import { newListKey } from '../cipher.ts';
import type { PayloadKeys } from '../payloadKeys.ts';
import { associatedData, type ListPlace, openChunk, sealRecipients } from '../recipientRecords.ts';
import type { Tables } from '../schema.ts';
import type { SeenSchedule } from './schedules.ts';

/** A registered list without its content. */
export type ListRow = {
  readonly id: number;
  readonly schedule: string;
  readonly root: string;
  readonly recipients: number;
  readonly wrapped_key: Uint8Array;
  readonly key_id: string;
  readonly known_balances: Uint8Array;
};

const LIST_COLUMNS = ['id', 'schedule', 'root', 'recipients', 'wrapped_key', 'key_id', 'known_balances'] as const;

/** The list registered for a schedule and a root (hexadecimal). */
export function findList(database: Kysely<Tables>, schedule: string, root: string): Promise<ListRow | undefined> {
  return database
    .selectFrom('recipient_lists')
    .select(LIST_COLUMNS)
    .where('schedule', '=', schedule)
    .where('root', '=', root)
    .executeTakeFirst();
}

/** What a registration stores, `at` in unix milliseconds. */
export type Registration = {
  readonly schedule: SeenSchedule;
  readonly root: Uint8Array;
  readonly recipients: readonly PayableRecipient[];
  readonly payloadKeys: PayloadKeys;
  readonly at: number;
};

/** Stores a schedule and its list, all or nothing. False if somebody else has registered the same list meanwhile. */
export async function registerList(database: Kysely<Tables>, registration: Registration): Promise<boolean> {
  const { schedule, root, recipients, payloadKeys, at } = registration;
  const place: ListPlace = { schedule: schedule.address, root, recipients: recipients.length };
  const key = newListKey();
  // Sealed before the transaction: it would keep the embedded database's only session for as long as this takes.
  const chunks: Uint8Array[] = [];
  for await (const chunk of sealRecipients(recipients, place, key)) chunks.push(chunk);
  const { keyId, wrapped } = await payloadKeys.wrap(key, associatedData(place, 'key'));
  return database.transaction().execute(async (transaction) => {
    await transaction
      .insertInto('schedules')
      .values({ ...schedule, registered_at: at })
      .onConflict((conflict) => conflict.column('address').doNothing())
      .execute();
    const list = await transaction
      .insertInto('recipient_lists')
      .values({
        schedule: schedule.address,
        root: Buffer.from(root).toString('hex'),
        recipients: recipients.length,
        wrapped_key: wrapped,
        key_id: keyId,
        known_balances: Buffer.alloc(Math.ceil(recipients.length / 8)),
        registered_at: at,
      })
      .onConflict((conflict) => conflict.columns(['schedule', 'root']).doNothing())
      .returning('id')
      .executeTakeFirst();
    if (list === undefined) return false;
    for (const [number, content] of chunks.entries()) {
      await transaction.insertInto('recipient_list_chunks').values({ list_id: list.id, number, content }).execute();
    }
    return true;
  });
}

/** Reads and decrypts a list in order of index. Throws `WrongPayloadKey` or `DecryptionFailed`. */
export async function readRecipients(
  database: Kysely<Tables>,
  list: ListRow,
  payloadKeys: PayloadKeys,
): Promise<PayableRecipient[]> {
  const place: ListPlace = {
    schedule: list.schedule,
    root: new Uint8Array(Buffer.from(list.root, 'hex')),
    recipients: list.recipients,
  };
  const stored = { keyId: list.key_id, wrapped: list.wrapped_key };
  const key = await payloadKeys.unwrap(stored, associatedData(place, 'key'));
  const recipients: PayableRecipient[] = [];
  for (let number = 0; recipients.length < list.recipients; number++) {
    const chunk = await database
      .selectFrom('recipient_list_chunks')
      .select('content')
      .where('list_id', '=', list.id)
      .where('number', '=', number)
      .executeTakeFirstOrThrow();
    for (const recipient of await openChunk(chunk.content, number, place, key)) recipients.push(recipient);
  }
  return recipients;
}

/** Keeps which balances of a list exist in the execution layer. */
export async function saveKnownBalances(database: Kysely<Tables>, listId: number, known: Uint8Array): Promise<void> {
  await database
    .updateTable('recipient_lists')
    .set({ known_balances: Buffer.from(known) })
    .where('id', '=', listId)
    .execute();
}
