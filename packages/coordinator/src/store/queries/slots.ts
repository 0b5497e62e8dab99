import { OWNER_RECORD_BYTES, PAGE_SLOTS, type PageName, type RandomBelow } from '@payouts/client';
import { OWNER_ENTRY_BYTES, OwnerIndex } from '../../balances/ownerIndex.ts';
import { type FreePlaces, pageOfPlace, takePlaces } from '../../balances/places.ts';
import { RunError } from '../../domain/errors.ts';
import { decrypt, encrypt } from '../crypto/cipher.ts';
import { freePlacesPlace, ownersPlace, pagePlace } from '../crypto/liabilityChunks.ts';
import { listKey, placeOfList } from '../crypto/listKey.ts';
import { associatedData } from '../crypto/listPlace.ts';
import type { PayloadKeys } from '../crypto/payloadKeys.ts';
import type { Db } from '../schema.ts';
import { treeKey } from './liabilities.ts';
import type { ListRow } from './lists.ts';

/** Vault of owners who were found in the layer's pages. */
const FOUND = '';
const PLACE_BYTES = 4;
const NONCE_BYTES = 16;

/** Where a list's balances are, in order of index; undefined: not all of them have a place. Throws `WrongPayloadKey` or `DecryptionFailed`. */
export async function readPlaces(list: ListRow, payloadKeys: PayloadKeys): Promise<Uint32Array | undefined> {
  if (list.places === null) return undefined;
  const key = await listKey(list, payloadKeys);
  return numbersOf(decrypt(key, list.places, associatedData(placeOfList(list), 'places')));
}

/** What is needed to give a list's balances their places. */
export type Allotment = {
  readonly list: ListRow;
  readonly mint: string;
  readonly vault: string;
  /** Owner 32 ‖ blind 16 of each leaf. */
  readonly owners: Uint8Array;
  /** Unix milliseconds. */
  readonly at: number;
  readonly randomBelow: RandomBelow;
  /** A nonce of 16 bytes for a new page. */
  readonly newNonce: () => Uint8Array;
  /** Balances that the layer has room for, of all tokens. */
  readonly mostBalances: number;
};

/**
 * Gives a list's balances their places, and keeps them: those that their owners have by other lists of the vault, and new ones. Two at a
 * time for one token wait for each other. Throws `WrongPayloadKey` or `DecryptionFailed`, or `RunError` where the layer has no room: then
 * nobody has got a place.
 */
export async function allotPlaces(database: Db, payloadKeys: PayloadKeys, input: Allotment): Promise<Uint32Array> {
  const { list, mint, vault, owners, at } = input;
  const { key } = await treeKey(database, mint, payloadKeys, at);
  const ownKey = await listKey(list, payloadKeys);
  return database.transaction().execute(async (transaction) => {
    const tree = await transaction
      .selectFrom('liability_trees')
      .select(['next_page', 'free_places'])
      .where('mint', '=', mint)
      .forUpdate()
      .executeTakeFirstOrThrow();
    const known = await readOwners(transaction, { mint, vault, key, expected: list.recipients });
    const before = known.index.count;
    const free: FreePlaces = {
      nextPage: tree.next_page,
      places: tree.free_places === null ? [] : [...numbersOf(decrypt(key, tree.free_places, freePlacesPlace(mint)))],
    };
    const places = placesFor(owners, known.index, free, input.randomBelow);
    if (known.index.count > before) {
      await saveOwners(transaction, { mint, vault, part: known.parts, key }, known.index.entriesFrom(before));
      const pages = Array.from({ length: free.nextPage - tree.next_page }, (_, page) => ({
        number: tree.next_page + page,
        nonce: input.newNonce(),
      }));
      await checkRoom(transaction, pages.length, input.mostBalances);
      await savePages(transaction, mint, key, pages);
      await saveFree(transaction, mint, key, free);
    }
    const sealed = encrypt(ownKey, bytesOf(places), associatedData(placeOfList(list), 'places'));
    await transaction.updateTable('recipient_lists').set({ places: sealed }).where('id', '=', list.id).execute();
    return places;
  });
}

/** Throws `RunError` unless the layer has room for so many pages more. */
async function checkRoom(transaction: Db, pages: number, mostBalances: number): Promise<void> {
  if (pages === 0) return;
  const placed = await countBalancePlaces(transaction);
  if (placed + pages * PAGE_SLOTS <= mostBalances) return;
  throw new RunError(
    'layer-full',
    `The execution layer has room for ${mostBalances} balances, ${placed} of which are given; the list needs ${pages * PAGE_SLOTS} more.`,
  );
}

/** Places for balances in all pages, of all tokens. */
export async function countBalancePlaces(database: Db): Promise<number> {
  const { pages } = await database
    .selectFrom('balance_pages')
    .select((select) => select.fn.countAll<string>().as('pages'))
    .executeTakeFirstOrThrow();
  return Number(pages) * PAGE_SLOTS;
}

/** The places of leaves whose owners these are; owners without one get one, and stand in the index from then on. */
function placesFor(
  owners: Uint8Array,
  index: OwnerIndex,
  free: FreePlaces,
  randomBelow: RandomBelow,
): Uint32Array {
  const count = owners.length / OWNER_RECORD_BYTES;
  const places = new Uint32Array(count);
  const missing: number[] = [];
  for (let leaf = 0; leaf < count; leaf++) {
    const place = index.placeOf(owners, leaf * OWNER_RECORD_BYTES);
    if (place !== undefined) {
      places[leaf] = place;
      continue;
    }
    // Whoever stands in the list twice has one balance: the place comes below.
    index.set(owners, leaf * OWNER_RECORD_BYTES, 0);
    missing.push(leaf);
  }
  const taken = takePlaces(free, missing.length, randomBelow);
  for (const [at, leaf] of missing.entries()) index.set(owners, leaf * OWNER_RECORD_BYTES, taken[at] as number);
  for (let leaf = 0; leaf < count; leaf++) {
    if (places[leaf] === 0) places[leaf] = index.placeOf(owners, leaf * OWNER_RECORD_BYTES) as number;
  }
  return places;
}

/**
 * Takes over what pages of the layer hold that the database does not know: after it was lost, or is older than the layer. From then on no
 * place is given that somebody may have. `entries`: owner 32 ‖ place u32 each.
 */
export async function adoptPages(
  database: Db,
  payloadKeys: PayloadKeys,
  input: { readonly mint: string; readonly pages: readonly PageName[]; readonly entries: Uint8Array; readonly at: number },
): Promise<void> {
  const { mint, pages, entries, at } = input;
  const { key } = await treeKey(database, mint, payloadKeys, at);
  await database.transaction().execute(async (transaction) => {
    const tree = await transaction
      .selectFrom('liability_trees')
      .select('next_page')
      .where('mint', '=', mint)
      .forUpdate()
      .executeTakeFirstOrThrow();
    await savePages(transaction, mint, key, pages);
    await transaction.deleteFrom('balance_owners').where('mint', '=', mint).where('vault', '=', FOUND).execute();
    await saveOwners(transaction, { mint, vault: FOUND, part: 0, key }, entries);
    const nextPage = pages.reduce((next, { number }) => Math.max(next, number + 1), tree.next_page);
    await saveFree(transaction, mint, key, { nextPage, places: [] });
    // What lists say of places may be wrong now, and is made anew from the owners.
    await transaction
      .updateTable('recipient_lists')
      .set({ places: null })
      .where('schedule', 'in', (select) => select.selectFrom('schedules').select('address').where('mint', '=', mint))
      .execute();
  });
}

/** The pages of a token, with the nonces that make their addresses. Throws `WrongPayloadKey` or `DecryptionFailed`. */
export async function readPages(
  database: Db,
  payloadKeys: PayloadKeys,
  mint: string,
  at: number,
): Promise<readonly PageName[]> {
  const { key } = await treeKey(database, mint, payloadKeys, at);
  const rows = await database.selectFrom('balance_pages').selectAll().where('mint', '=', mint).execute();
  return rows.map(({ number, content }) => ({ number, nonce: decrypt(key, content, pagePlace(mint, number)) }));
}

async function readOwners(
  transaction: Db,
  { mint, vault, key, expected }: { mint: string; vault: string; key: Uint8Array; expected: number },
): Promise<{ readonly index: OwnerIndex; readonly parts: number }> {
  const rows = await transaction
    .selectFrom('balance_owners')
    .select(['vault', 'part', 'content'])
    .where('mint', '=', mint)
    .where('vault', 'in', [FOUND, vault])
    .orderBy('vault')
    .orderBy('part')
    .execute();
  const opened = rows.map((row) => decrypt(key, row.content, ownersPlace(mint, row.vault, row.part)));
  const entries = opened.reduce((sum, { length }) => sum + length / OWNER_ENTRY_BYTES, 0);
  const index = new OwnerIndex(entries + expected);
  for (const part of opened) index.addAll(part);
  return { index, parts: rows.filter((row) => row.vault === vault).length };
}

async function saveOwners(
  transaction: Db,
  { mint, vault, part, key }: { mint: string; vault: string; part: number; key: Uint8Array },
  entries: Uint8Array,
): Promise<void> {
  const content = encrypt(key, entries, ownersPlace(mint, vault, part));
  await transaction.insertInto('balance_owners').values({ mint, vault, part, content }).execute();
}

async function savePages(transaction: Db, mint: string, key: Uint8Array, pages: readonly PageName[]): Promise<void> {
  if (pages.length === 0) return;
  const rows = pages.map(({ number, nonce }) => ({
    mint,
    number,
    content: encrypt(key, nonce.subarray(0, NONCE_BYTES), pagePlace(mint, number)),
  }));
  const conflict = ['mint', 'number'] as const;
  await transaction
    .insertInto('balance_pages')
    .values(rows)
    .onConflict((at) => at.columns(conflict).doUpdateSet((set) => ({ content: set.ref('excluded.content') })))
    .execute();
}

async function saveFree(transaction: Db, mint: string, key: Uint8Array, free: FreePlaces): Promise<void> {
  const sealed = encrypt(key, bytesOf(Uint32Array.from(free.places)), freePlacesPlace(mint));
  await transaction
    .updateTable('liability_trees')
    .set({ next_page: free.nextPage, free_places: sealed })
    .where('mint', '=', mint)
    .execute();
}

/** Takes a whole page's number for leaves of the liabilities tree that are no balances. */
export async function takePageNumber(database: Db, mint: string): Promise<number> {
  const { next_page: next } = await database
    .updateTable('liability_trees')
    .set((set) => ({ next_page: set('next_page', '+', 1) }))
    .where('mint', '=', mint)
    .returning('next_page')
    .executeTakeFirstOrThrow();
  return next - 1;
}

const bytesOf = (numbers: Uint32Array): Buffer => {
  const bytes = Buffer.alloc(numbers.length * PLACE_BYTES);
  for (const [at, number] of numbers.entries()) bytes.writeUInt32LE(number, at * PLACE_BYTES);
  return bytes;
};

function numbersOf(bytes: Uint8Array): Uint32Array {
  const read = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Uint32Array.from({ length: bytes.length / PLACE_BYTES }, (_, at) => read.readUInt32LE(at * PLACE_BYTES));
}

/** Numbers of the pages where these places are, each once. */
export const pagesOfPlaces = (places: Iterable<number>): Set<number> => {
  const pages = new Set<number>();
  for (const place of places) pages.add(pageOfPlace(place));
  return pages;
};

