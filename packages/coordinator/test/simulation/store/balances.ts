import { LEAF_TERMS_BYTES, PAGE_SLOTS } from '@payouts/client';
import { placesFor } from '../../../src/domain/allot.ts';
import { RunError } from '../../../src/domain/errors.ts';
import { OwnerIndex, placesOf } from '../../../src/domain/ownerIndex.ts';
import { placesToBytes } from '../../../src/domain/places.ts';
import type { BalanceStore } from '../../../src/store/balanceStore.ts';
import type { Allotment, AllottedList, ShownPages } from '../../../src/store/queries/slots.ts';
import type { MemoryDatabase } from './database.ts';
import type { TokenPlaces } from './tokenPlaces.ts';

/** What is kept of the places of balances, in memory: the same as in the database, which a test compares. */
export const memoryBalanceStore = (database: MemoryDatabase): BalanceStore => ({
  readPages: async (mint) => [...database.placesOf(mint).pages.values()],
  async allotPlaces(allotment) {
    const { mint, lists, ...others } = allotment;
    const from = database.placesOf(mint).free.nextPage;
    const places = lists.map((list) => allotList(database, mint, list, others));
    return { places, from, nextPage: database.placesOf(mint).free.nextPage };
  },
  isBehind: async (shown) => isBehind(database, shown),
  adoptPages: async (shown) => adopt(database, shown),
});

/** One list: the simulator asks for no more at a time that could fail halfway. */
function allotList(
  database: MemoryDatabase,
  mint: string,
  { list, vault, terms }: AllottedList,
  { randomBelow, newNonce, mostBalances }: Pick<Allotment, 'randomBelow' | 'newNonce' | 'mostBalances'>,
): Uint32Array {
  const token = database.placesOf(mint);
  const from = token.free.nextPage;
  const free = { nextPage: from, places: [...token.free.places] };
  const known = new OwnerIndex(list.recipients);
  for (const of of ['', vault]) known.addAll(token.owners.get(of)?.entriesFrom(0) ?? new Uint8Array());
  const before = known.count;
  for (let at = 0; at < terms.length; at += LEAF_TERMS_BYTES) {
    const elsewhere = [...token.owners.values()].map((index) => index.placeOf(terms, at));
    const place = known.placeOf(terms, at) ?? elsewhere.findLast((each) => each !== undefined);
    if (place !== undefined) known.set(terms, at, place);
  }
  const places = placesFor(terms, known, free, randomBelow);
  if (known.count > before) {
    const given = [...database.places.values()].reduce((sum, { pages }) => sum + pages.size, 0) * PAGE_SLOTS;
    const needed = (free.nextPage - from) * PAGE_SLOTS;
    if (needed > 0 && given + needed > mostBalances) throw new RunError('layer-full', 'The layer has no room.');
    const own = token.owners.get(vault) ?? new OwnerIndex(list.recipients);
    own.addAll(known.entriesFrom(before));
    token.owners.set(vault, own);
    for (let number = from; number < free.nextPage; number++) token.pages.set(number, { number, nonce: newNonce() });
    Object.assign(token.free, free);
  }
  keepPlaces(database, list.id, placesToBytes(places));
  return places;
}

/** A backup of all that is kept of places; restored, what was given since then is lost. */
export function backupOfPlaces(database: MemoryDatabase): () => void {
  const tokens = new Map([...database.places].map(([mint, token]) => [mint, copyOf(token)]));
  const places = new Map([...database.lists.values()].map((list) => [list.id, list.places]));
  return () => {
    database.places.clear();
    for (const [mint, token] of tokens) database.places.set(mint, copyOf(token));
    for (const id of [...database.lists.keys()]) keepPlaces(database, id, places.get(id) ?? null);
  };
}

function copyOf({ free, pages, owners }: TokenPlaces): TokenPlaces {
  const again = [...owners].map(([vault, index]): [string, OwnerIndex] => {
    const copy = new OwnerIndex(index.count);
    copy.addAll(index.entriesFrom(0));
    return [vault, copy];
  });
  return { free: { ...free, places: [...free.places] }, pages: new Map(pages), owners: new Map(again) };
}

function keepPlaces(database: MemoryDatabase, listId: number, places: Uint8Array | null): void {
  const list = database.lists.get(listId);
  if (list !== undefined) database.lists.set(listId, { ...list, places });
}

function isBehind(database: MemoryDatabase, { mint, pages, entries }: ShownPages): boolean {
  const { pages: known, free } = database.placesOf(mint);
  const isFree = new Set(free.places);
  return pages.some(({ number }) => !known.has(number)) || [...placesOf(entries)].some((place) => isFree.has(place));
}

function adopt(database: MemoryDatabase, { mint, pages, entries }: ShownPages): void {
  const token = database.placesOf(mint);
  for (const page of pages) token.pages.set(page.number, page);
  const nextPage = pages.reduce((next, { number }) => Math.max(next, number + 1), token.free.nextPage);
  Object.assign(token.free, { nextPage, places: [] });
  const found = new OwnerIndex(0);
  found.addAll(entries);
  token.owners.set('', found);
  const taken = new Set(placesOf(entries));
  for (const [vault, index] of token.owners) {
    if (vault !== '') token.owners.set(vault, withoutContradictions(index, found, taken));
  }
  for (const { id, schedule } of [...database.lists.values()]) {
    if (database.schedules.get(schedule)?.mint === mint) keepPlaces(database, id, null);
  }
}

function withoutContradictions(index: OwnerIndex, found: OwnerIndex, taken: ReadonlySet<number>): OwnerIndex {
  const kept = new OwnerIndex(0);
  const entries = index.entriesFrom(0);
  for (const [at, place] of [...placesOf(entries)].entries()) {
    const from = at * (entries.length / index.count);
    const now = found.placeOf(entries, from);
    if (now === undefined ? !taken.has(place) : now === place) kept.set(entries, from, place);
  }
  return kept;
}
