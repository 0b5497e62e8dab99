import { randomBytes, randomInt } from 'node:crypto';
import { PAGE_SLOTS, prepareList } from '@payouts/client';
import { describe, expect, it } from 'vitest';
import { localPayloadKeys } from '../src/store/crypto/payloadKeys.ts';
import { findList, type ListRow } from '../src/store/queries/lists.ts';
import { allotPlaces, countBalancePlaces } from '../src/store/queries/slots.ts';
import { recordsOf, storeList } from './support/lists.ts';
import { randomAddress, somePayees } from './support/promised.ts';
import { STORES, useStore } from './support/stores.ts';

const payloadKeys = localPayloadKeys(randomBytes(32));
/** Pages that are begun with a token's first balances. */
const BEGUN = 16;

describe.each(STORES)('the room of the execution layer on %s', (name) => {
  const store = useStore(name);

  /** A registered list of a new schedule, and how its balances get their places while the layer has room for so many. */
  async function registered(recipients: number, mint = randomAddress(), vault = randomAddress()) {
    const list = prepareList(somePayees(recipients));
    const row = await storeList(store.query, payloadKeys, list, { mint, vault });
    const terms = await recordsOf(list).terms();
    const given = { mint, at: 1, randomBelow: randomInt, newNonce: () => randomBytes(16) };
    const allot = async (mostBalances: number) => {
      const list = (await findList(store.query, row.schedule, row.root)) as ListRow;
      const allotted = await allotPlaces(store.query, payloadKeys, {
        ...given,
        lists: [{ list, vault, terms }],
        mostBalances,
      });
      return { ...allotted, places: allotted.places[0] as Uint32Array };
    };
    const isPlaced = async () => (await findList(store.query, row.schedule, row.root))?.places !== null;
    return { mint, vault, allot, isPlaced };
  }

  /** All that is kept of a token's places. */
  async function keptOf(mint: string) {
    const { pool } = store.database;
    const tables = ['liability_trees', 'balance_pages', 'balance_owners'];
    return Promise.all(
      tables.map(
        async (table) => (await pool.query(`select * from ${table} where mint = '${mint}' order by 1, 2`)).rows,
      ),
    );
  }

  it('is for all tokens, and to the last balance', async () => {
    const before = await countBalancePlaces(store.query);
    const most = before + 2 * BEGUN * PAGE_SLOTS;
    const [one, other, third] = [await registered(3), await registered(3), await registered(1)];
    await one.allot(most);
    await other.allot(most);
    expect(await countBalancePlaces(store.query)).toBe(most);
    await expect(third.allot(most)).rejects.toMatchObject({ code: 'layer-full' });
    expect(await third.isPlaced()).toBe(false);
  });

  it('refuses a list before any of its balances has a place, and keeps nothing of it', async () => {
    const { mint, vault, allot } = await registered(5);
    await allot(1_000_000);
    const placed = await countBalancePlaces(store.query);
    const kept = await keptOf(mint);
    const large = await registered(BEGUN * PAGE_SLOTS, mint, vault);
    await expect(large.allot(placed)).rejects.toMatchObject({ code: 'layer-full' });
    expect(await large.isPlaced()).toBe(false);
    expect(await keptOf(mint)).toEqual(kept);
    expect(await countBalancePlaces(store.query)).toBe(placed);
    // With more room it is placed as if nothing had been.
    const { places, from, nextPage } = await large.allot(placed + 1_000 * PAGE_SLOTS);
    expect(new Set(places).size).toBe(BEGUN * PAGE_SLOTS);
    expect(nextPage).toBeGreaterThan(from);
  });

  it('is no matter to those who have their places, or get one in a page that is there', async () => {
    const first = await registered(5);
    const given = await first.allot(1_000_000);
    expect((await first.allot(0)).places).toEqual(given.places);
    const more = await registered(5, first.mint, first.vault);
    expect(await more.allot(0)).toMatchObject({ from: given.nextPage, nextPage: given.nextPage });
  });
});
