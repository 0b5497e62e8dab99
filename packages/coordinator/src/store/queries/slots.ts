import { PAGE_SLOTS, type PageName, type RandomBelow } from '@payouts/client';
import { sql } from 'kysely';
import { placesFor } from '../../domain/allot.ts';
import { RunError } from '../../domain/errors.ts';
import { placesOf } from '../../domain/ownerIndex.ts';
import { type FreePlaces, pageOfPlace, placesFromBytes, placesToBytes } from '../../domain/places.ts';
import { decrypt, encrypt } from '../crypto/cipher.ts';
import { freePlacesPlace } from '../crypto/liabilityChunks.ts';
import { listKey, placeOfList } from '../crypto/listKey.ts';
import { associatedData } from '../crypto/listPlace.ts';
import type { PayloadKeys } from '../crypto/payloadKeys.ts';
import type { Db } from '../schema.ts';
import { treeKey } from './liabilities.ts';
import type { ListRow } from './lists.ts';
import { adoptOwners, findElsewhere, findPaid, readOwners, saveOwners, savePaid } from './owners.ts';
import { savePages } from './pageNames.ts';

/** Where a list's balances are, in order of index; undefined: not all of them have a place. Throws `WrongPayloadKey` or `DecryptionFailed`. */
export async function readPlaces(list: ListRow, payloadKeys: PayloadKeys): Promise<Uint32Array | undefined> {
  if (list.places === null) return undefined;
  const key = await listKey(list, payloadKeys);
  return placesFromBytes(decrypt(key, list.places, associatedData(placeOfList(list), 'places')));
}

/** A list whose balances are to get their places, and the terms of its leaves, one after the other. */
export type AllottedList = { readonly list: ListRow; readonly vault: string; readonly terms: Uint8Array };

/** What is needed to give the balances of some lists of one token their places. */
export type Allotment = {
  readonly mint: string;
  readonly lists: readonly AllottedList[];
  /** Unix milliseconds. */
  readonly at: number;
  readonly randomBelow: RandomBelow;
  /** A nonce of 16 bytes for a new page. */
  readonly newNonce: () => Uint8Array;
  /** Balances that the layer has room for, of all tokens. */
  readonly mostBalances: number;
};

/** Places of each list in order of index; the number of the token's next page before and after they were given. */
export type Allotted = { readonly places: readonly Uint32Array[]; readonly from: number; readonly nextPage: number };

/**
 * Gives the balances of lists their places, and keeps them: those that their owners have by other lists, and new ones. Two at a
 * time for one token wait for each other. Throws `WrongPayloadKey` or `DecryptionFailed`, or `RunError` where the layer has no room: then
 * nobody has got a place.
 */
export async function allotPlaces(database: Db, payloadKeys: PayloadKeys, input: Allotment): Promise<Allotted> {
  const { mint, lists, at } = input;
  const { key } = await treeKey(database, mint, payloadKeys, at);
  const keys = await Promise.all(lists.map(({ list }) => listKey(list, payloadKeys)));
  return database.transaction().execute(async (transaction) => {
    const tree = await lockTree(transaction, mint);
    const free = freeOf(tree, mint, key);
    const { places, isNew } = await givePlaces(transaction, { mint, key }, free, input);
    if (isNew) {
      const pages = Array.from({ length: free.nextPage - tree.next_page }, (_, page) => ({
        number: tree.next_page + page,
        nonce: input.newNonce(),
      }));
      await checkRoom(transaction, pages.length, input.mostBalances);
      await savePages(transaction, { mint, key }, pages);
      await saveFree(transaction, mint, key, free);
    }
    const sealed = lists.map(({ list }, at) =>
      encrypt(
        keys[at] as Uint8Array,
        placesToBytes(places[at] as Uint32Array),
        associatedData(placeOfList(list), 'places'),
      ),
    );
    await sql`update recipient_lists set places = given.places
      from unnest(${lists.map(({ list }) => list.id)}::integer[], ${sealed}::bytea[]) as given(id, places)
      where recipient_lists.id = given.id`.execute(transaction);
    return { places, from: tree.next_page, nextPage: free.nextPage };
  });
}

/** What a token's places are given from, until the transaction ends nobody else's. */
const lockTree = (transaction: Db, mint: string) =>
  transaction
    .selectFrom('liability_trees')
    .select(['next_page', 'free_places'])
    .where('mint', '=', mint)
    .forUpdate()
    .executeTakeFirstOrThrow();

/** What is needed to give one owner a place. */
export type OwnerAllotment = Pick<Allotment, 'mint' | 'at' | 'randomBelow'> & {
  readonly owner: Uint8Array;
  /** Whether the layer has the page with this number. */
  readonly isMade: (page: number) => boolean;
};

/**
 * Gives the balance of a payment code a place in a page that the layer has, and keeps it; undefined: there is none. Two at a time for one token
 * wait for each other. Throws `WrongPayloadKey` or `DecryptionFailed`.
 */
export async function allotOwner(
  database: Db,
  payloadKeys: PayloadKeys,
  { mint, at, owner, isMade, randomBelow }: OwnerAllotment,
): Promise<number | undefined> {
  const { key } = await treeKey(database, mint, payloadKeys, at);
  return database.transaction().execute(async (transaction) => {
    const tree = await lockTree(transaction, mint);
    const known = await findPaid(transaction, { mint, key }, owner);
    if (known !== undefined) return known;
    const free = freeOf(tree, mint, key);
    const within = [...free.places.keys()].filter((each) => isMade(pageOfPlace(free.places[each] as number)));
    if (within.length === 0) return undefined;
    const [place] = free.places.splice(within[randomBelow(within.length)] as number, 1) as [number];
    await savePaid(transaction, { mint, key }, owner, place);
    await saveFree(transaction, mint, key, free);
    return place;
  });
}

/** The places of each list's balances, of which those that are new are taken and kept; `isNew`: there are some. */
async function givePlaces(
  transaction: Db,
  of: { readonly mint: string; readonly key: Uint8Array },
  free: FreePlaces,
  { lists, randomBelow }: Allotment,
): Promise<{ readonly places: Uint32Array[]; readonly isNew: boolean }> {
  const vaults = [...new Set(lists.map(({ vault }) => vault))];
  const expected = lists.reduce((sum, { list }) => sum + list.recipients, 0);
  const { index, parts } = await readOwners(transaction, { ...of, vaults, expected });
  await findElsewhere(
    transaction,
    { ...of, vaults },
    lists.map(({ terms }) => terms),
    index,
  );
  const added = new Map<string, Buffer[]>();
  const places = lists.map(({ vault, terms }) => {
    const before = index.count;
    const found = placesFor(terms, index, free, randomBelow);
    if (index.count > before) added.set(vault, [...(added.get(vault) ?? []), index.entriesFrom(before)]);
    return found;
  });
  for (const [vault, entries] of added) {
    await saveOwners(transaction, { ...of, vault, part: parts.get(vault) ?? 0 }, Buffer.concat(entries));
  }
  return { places, isNew: added.size > 0 };
}

/** Throws `RunError` unless the layer has room for so many pages more. */
async function checkRoom(transaction: Db, pages: number, mostBalances: number): Promise<void> {
  if (pages === 0) return;
  const placed = await countBalancePlaces(transaction);
  if (placed + pages * PAGE_SLOTS <= mostBalances) return;
  // Public: it says nothing of how many others are paid.
  throw new RunError('layer-full', 'The execution layer has no room for the pages of balances that the list needs.');
}

/** Places for balances in all pages, of all tokens. */
export async function countBalancePlaces(database: Db): Promise<number> {
  const { pages } = await database
    .selectFrom('balance_pages')
    .select((select) => select.fn.countAll<string>().as('pages'))
    .executeTakeFirstOrThrow();
  return Number(pages) * PAGE_SLOTS;
}

/** What the layer's pages of a token show. */
export type ShownPages = {
  readonly mint: string;
  readonly pages: readonly PageName[];
  /** Owner 32 ‖ place u32 of each slot that somebody has. */
  readonly entries: Uint8Array;
  /** Unix milliseconds. */
  readonly at: number;
};

/**
 * Whether pages, which must have been read before, show what the database has not given: a page that it doesn't know, or somebody in a place
 * that is free by it. Then it was lost, or is older than the layer. Throws `WrongPayloadKey` or `DecryptionFailed`.
 */
export async function isBehind(database: Db, payloadKeys: PayloadKeys, shown: ShownPages): Promise<boolean> {
  const { mint, pages, entries, at } = shown;
  const { key } = await treeKey(database, mint, payloadKeys, at);
  const known = await database.selectFrom('balance_pages').select('number').where('mint', '=', mint).execute();
  const numbers = new Set(known.map(({ number }) => number));
  if (pages.some(({ number }) => !numbers.has(number))) return true;
  const tree = await database
    .selectFrom('liability_trees')
    .select(['next_page', 'free_places'])
    .where('mint', '=', mint)
    .executeTakeFirstOrThrow();
  const free = new Set(freeOf(tree, mint, key).places);
  for (const place of placesOf(entries)) if (free.has(place)) return true;
  return false;
}

/**
 * Takes over what pages of the layer hold that the database does not know: after it was lost, or is older than the layer. From then on no
 * place is given that somebody may have. Throws `WrongPayloadKey` or `DecryptionFailed`.
 */
export async function adoptPages(database: Db, payloadKeys: PayloadKeys, shown: ShownPages): Promise<void> {
  const { mint, pages, entries, at } = shown;
  const { key } = await treeKey(database, mint, payloadKeys, at);
  await database.transaction().execute(async (transaction) => {
    const tree = await transaction
      .selectFrom('liability_trees')
      .select('next_page')
      .where('mint', '=', mint)
      .forUpdate()
      .executeTakeFirstOrThrow();
    await savePages(transaction, { mint, key }, pages);
    await adoptOwners(transaction, { mint, key }, entries);
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

function freeOf(
  tree: { readonly next_page: number; readonly free_places: Uint8Array | null },
  mint: string,
  key: Uint8Array,
): FreePlaces {
  const { next_page: nextPage, free_places: sealed } = tree;
  return { nextPage, places: sealed === null ? [] : [...placesFromBytes(decrypt(key, sealed, freePlacesPlace(mint)))] };
}

async function saveFree(transaction: Db, mint: string, key: Uint8Array, free: FreePlaces): Promise<void> {
  const sealed = encrypt(key, placesToBytes(free.places), freePlacesPlace(mint));
  await transaction
    .updateTable('liability_trees')
    .set({ next_page: free.nextPage, free_places: sealed })
    .where('mint', '=', mint)
    .execute();
}
