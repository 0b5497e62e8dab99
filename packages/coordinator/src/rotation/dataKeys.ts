import { decrypt, encrypt, keyMark, newListKey } from '../store/crypto/cipher.ts';
import { grantKeyPlace, namedPlace, usePlace } from '../store/crypto/grantSeal.ts';
import {
  type ChunkPart,
  chunkPlace,
  freePlacesPlace,
  keyPlace,
  ownersPlace,
  pagePlace,
  seedPlace,
} from '../store/crypto/liabilityChunks.ts';
import { placeOfList } from '../store/crypto/listKey.ts';
import { associatedData } from '../store/crypto/listPlace.ts';
import type { PayloadKeys, WrappedKey } from '../store/crypto/payloadKeys.ts';
import { paymentPlace } from '../store/crypto/paymentRecord.ts';
import { contentPlace, detailsPlace, webhookKeyPlace } from '../store/crypto/webhookSeal.ts';
import {
  type Content,
  type DataKeyTable,
  lockKeyed,
  replaceKey,
  resealContents,
  type WrappedRow,
} from '../store/queries/dataKeys.ts';
import type { Db } from '../store/schema.ts';

/** Encrypts with the new key, for a place, what the former one has encrypted. */
type Reseal = (sealed: Uint8Array, place: Uint8Array) => Uint8Array;

/** Where a content stands, and its place by its row's key. */
type Part = Content & { readonly placeOf: (row: Readonly<Record<string, string>>) => Uint8Array };

/** What a data key is bound to, and all that it encrypts: columns of its own row, and contents of other tables. */
type Keyed<T extends DataKeyTable> = {
  readonly id: (row: WrappedRow<T>) => string | number;
  readonly keyPlace: (row: WrappedRow<T>) => Uint8Array;
  readonly own: (row: WrappedRow<T>, reseal: Reseal) => Readonly<Record<string, Uint8Array>>;
  readonly parts: (row: WrappedRow<T>) => readonly Part[];
};

const KEYED: { readonly [T in DataKeyTable]: Keyed<T> } = {
  recipient_lists: {
    id: ({ id }) => id,
    keyPlace: (list) => associatedData(placeOfList(list), 'key'),
    own: (list, reseal) =>
      list.places === null ? {} : { places: reseal(list.places, associatedData(placeOfList(list), 'places')) },
    parts: (list) => {
      const place = placeOfList(list);
      const blocks = { key: ['number'], content: 'content', of: ['list_id', list.id] } as const;
      return [
        {
          ...blocks,
          table: 'recipient_list_chunks',
          placeOf: ({ number }) => associatedData(place, Number(number)),
        },
        {
          table: 'run_payments',
          key: ['run_id'],
          content: 'paid',
          of: ['list_id', list.id],
          placeOf: ({ window_number: window = '' }) => paymentPlace({ ...list, window: BigInt(window) }),
        },
      ];
    },
  },
  liability_trees: {
    id: ({ mint }) => mint,
    keyPlace: ({ mint }) => keyPlace(mint),
    own: ({ mint, seed, free_places: free }, reseal) => ({
      seed: reseal(seed, seedPlace(mint)),
      ...(free === null ? {} : { free_places: reseal(free, freePlacesPlace(mint)) }),
    }),
    parts: ({ mint }) => [
      {
        table: 'liability_chunks',
        key: ['chunk', 'part', 'number'],
        content: 'content',
        of: ['mint', mint],
        placeOf: ({ chunk, part, number = '' }) =>
          chunkPlace({ mint, chunk: Number(chunk), part: part as ChunkPart, number: BigInt(number) }),
      },
      {
        table: 'balance_pages',
        key: ['number'],
        content: 'content',
        of: ['mint', mint],
        placeOf: ({ number }) => pagePlace(mint, Number(number)),
      },
      {
        table: 'balance_owners',
        key: ['vault', 'part'],
        content: 'content',
        of: ['mint', mint],
        placeOf: ({ vault = '', part }) => ownersPlace(mint, vault, Number(part)),
      },
    ],
  },
  auditor_grants: {
    id: ({ id }) => id,
    keyPlace: grantKeyPlace,
    own: (grant, reseal) => ({ named: reseal(grant.named, namedPlace(grant)) }),
    parts: (grant) => [
      {
        table: 'grant_uses',
        key: ['id'],
        content: 'subject',
        of: ['grant_id', grant.id],
        placeOf: () => usePlace(grant),
      },
    ],
  },
  webhook_endpoints: {
    id: ({ id }) => id,
    keyPlace: webhookKeyPlace,
    own: (endpoint, reseal) => ({ content: reseal(endpoint.content, contentPlace(endpoint)) }),
    parts: (endpoint) => [
      {
        table: 'webhook_messages',
        key: ['id'],
        content: 'sealed',
        of: ['endpoint_id', endpoint.id],
        placeOf: () => detailsPlace(endpoint),
      },
    ],
  },
};

/**
 * Gives a row a new data key, and encrypts with it all that the former one has; all or nothing, so it may be cut off anywhere. False if the row
 * is gone, or somebody else has done it. Throws `WrongPayloadKey` or `DecryptionFailed`.
 */
export async function renewDataKey<T extends DataKeyTable>(
  database: Db,
  payloadKeys: PayloadKeys,
  table: T,
  { row, stored: wrapped }: { readonly row: WrappedRow<T>; readonly stored: WrappedKey },
): Promise<boolean> {
  const { id, keyPlace: placeOf, own, parts } = KEYED[table] as unknown as Keyed<T>;
  // Before the transaction: a key service may be slow.
  const former = await payloadKeys.unwrap(wrapped, placeOf(row));
  const key = newListKey();
  const stored = await payloadKeys.wrap(key, placeOf(row));
  const reseal: Reseal = (sealed, place) => encrypt(key, decrypt(former, sealed, place), place);
  return database.transaction().execute(async (transaction) => {
    const now = await lockKeyed(transaction, table, id(row), wrapped.wrapped);
    if (now === undefined) return false;
    await replaceKey(transaction, table, id(row), { ...stored, formerMark: keyMark(former), own: own(now, reseal) });
    for (const { placeOf: contentPlaceOf, ...content } of parts(now)) {
      await resealContents(transaction, content, (place, sealed) => reseal(sealed, contentPlaceOf(place)));
    }
    return true;
  });
}
