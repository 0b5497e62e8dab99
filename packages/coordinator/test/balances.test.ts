import { addressToBytes, prepareList } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { KyselyPlugin } from 'kysely';
import { describe, expect, it } from 'vitest';
import { PayableLists } from '../src/lists/payableLists.ts';
import { readPages } from '../src/store/queries/pageNames.ts';
import { countBalancePlaces, readPlaces } from '../src/store/queries/slots.ts';
import { balancesOver } from './support/balances.ts';
import { layerShowing } from './support/fakeLayer.ts';
import { storeList } from './support/lists.ts';
import { expectApart, type Kept, ownersOf, PlacedToken, PROGRAM, payloadKeys } from './support/placedToken.ts';
import { randomAddress, somePayees } from './support/promised.ts';
import { STORES, useStore } from './support/stores.ts';

describe.each(STORES)('balances and their places on %s', (name) => {
  const store = useStore(name);

  it('have a place each, which is theirs in every list of the vault, and nobody else’s', async () => {
    const token = new PlacedToken(store.query);
    const { place } = token.process();
    const vault = randomAddress();
    const first = await token.list(300, vault);
    const places = await place(first);
    const second = await token.list(40, vault, first.list.recipients.slice(0, 100));
    const elsewhere = await token.list(30);
    const [secondPlaces, elsewherePlaces] = [await place(second), await place(elsewhere)];
    expectApart([first, places], [second, secondPlaces], [elsewhere, elsewherePlaces]);
    // Another process reads what was kept, and gives nothing anew.
    const again = token.process();
    expect(await again.place(first)).toEqual(places);
    expect(await again.place(second)).toEqual(secondPlaces);
    expect([...((await readPlaces(await token.row(first), payloadKeys)) ?? [])]).toEqual(places);
  });

  it('of somebody who stands in a list twice are one, and apart from what goes on to their wallet', async () => {
    const token = new PlacedToken(store.query);
    const [payee] = somePayees(1) as [ReturnType<typeof somePayees>[number]];
    const list = prepareList([payee, payee, { ...payee, delivery: 'wallet' }, ...somePayees(3)]);
    const vault = randomAddress();
    const row = await storeList(store.query, payloadKeys, list, { mint: token.mint, vault });
    const kept = { list, schedule: row.schedule as Address, vault, row };
    const places = await token.process().place(kept);
    expectApart([kept, places]);
    expect(new Set(places).size).toBe(5);
  });

  it('are one in lists of two employers that have the same salts: an owner has one account for what they ask', async () => {
    const token = new PlacedToken(store.query);
    const { place } = token.process();
    const [first, others] = [await token.list(300), await token.list(40)];
    const [places, othersPlaces] = [await place(first), await place(others)];
    // As when an employer goes on with another key, and so with another vault.
    const moved = await token.list(10, randomAddress(), first.list.recipients);
    expectApart([first, places], [others, othersPlaces], [moved, await place(moved)]);
  });

  it('are given once by two processes at the same time', async () => {
    const token = new PlacedToken(store.query);
    const vault = randomAddress();
    const common = (await token.list(20)).list.recipients;
    const lists = await Promise.all([0, 1, 2, 3].map((each) => token.list(30 + each, vault, common)));
    const [one, other] = [token.process(), token.process()];
    const given = await Promise.all(
      lists.map(async (kept, at) => {
        const places = await (at % 2 === 0 ? one : other).place(kept);
        return [kept, places] as const;
      }),
    );
    expectApart(...given);
    const [first] = lists as [Kept];
    const twice = await Promise.all([one.place(first), other.place(first)]);
    expect(twice[0]).toEqual(twice[1]);
  });

  it('are given to lists that ask at the same time in two transactions: that of the first, and one of all others', async () => {
    const token = new PlacedToken(store.query);
    const lists = await Promise.all(Array.from({ length: 20 }, () => token.list(3)));
    let begun = 0;
    const counting: KyselyPlugin = {
      transformQuery: ({ node }) => {
        // Nothing else is locked by it.
        if (node.kind === 'SelectQueryNode' && node.endModifiers !== undefined) begun += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    const { place } = token.process(store.query.withPlugin(counting));
    const given = await Promise.all(lists.map(async (kept) => [kept, await place(kept)] as const));
    expectApart(...given);
    expect(begun).toBeLessThanOrEqual(3);
    const again = token.process();
    for (const [kept, places] of given) expect(await again.place(kept)).toEqual(places);
  });

  it('are given to all others though one of the lists that ask at the same time can’t have any', async () => {
    const token = new PlacedToken(store.query);
    const first = await token.list(3);
    await token.process().place(first);
    const mostBalances = await countBalancePlaces(store.query);
    const { place } = token.process(store.query, mostBalances);
    const [small, large, other] = [await token.list(4), await token.list(mostBalances), await token.list(5)];
    const [, smallPlaces, refused, otherPlaces] = await Promise.allSettled([first, small, large, other].map(place));
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'layer-full' } });
    const placesOf = (end: typeof refused) => (end?.status === 'fulfilled' ? end.value : []);
    expectApart([small, placesOf(smallPlaces)], [other, placesOf(otherPlaces)]);
  });

  it('are the same after a process was killed at any step, and no page is begun twice', async () => {
    const token = new PlacedToken(store.query);
    const vault = randomAddress();
    const before = await token.list(10, vault);
    const beforePlaces = await token.process().place(before);
    const kept = await token.list(300, vault, before.list.recipients);
    let killedAt = 0;
    for (let isDone = false; !isDone; killedAt += 1) {
      let left = killedAt;
      const dying: KyselyPlugin = {
        transformQuery: ({ node }) => {
          left -= 1;
          if (left < 0) throw new Error('killed');
          return node;
        },
        transformResult: async ({ result }) => result,
      };
      isDone = await token
        .process(store.query.withPlugin(dying))
        .place(kept)
        .then(
          () => true,
          (error: Error) => {
            expect(error.message).toBe('killed');
            return false;
          },
        );
    }
    expect(killedAt).toBeGreaterThan(5);
    const places = await token.process().place(kept);
    expectApart([before, beforePlaces], [kept, places]);
    const pages = await readPages(store.query, payloadKeys, token.mint, 1);
    expect(new Set(pages.map(({ number }) => number)).size).toBe(pages.length);
    expect(new Set(pages.map(({ nonce }) => Buffer.from(nonce).toString('hex'))).size).toBe(pages.length);
  });

  it('are not given where the layer has no room for the pages, and then nobody has got one', async () => {
    const token = new PlacedToken(store.query);
    const kept = await token.list(5);
    const layer = layerShowing(() => []);
    const before = await countBalancePlaces(store.query);
    const full = balancesOver({
      database: store.query,
      payloadKeys,
      layer,
      program: PROGRAM,
      mostBalances: before + 253,
    });
    const row = await token.row(kept);
    const payees = await new PayableLists({ database: store.query, payloadKeys }).read(row);
    const owned = { vault: kept.vault, mint: token.mint };
    // An employer reads it, and how many others are paid is nobody's business.
    const message = expect.stringMatching(/^\D+$/);
    await expect(full.place(row, payees, owned)).rejects.toMatchObject({ code: 'layer-full', message });
    expect(payees.places).toBeUndefined();
    expect((await token.row(kept)).places).toBeNull();
    expect(await countBalancePlaces(store.query)).toBe(before);
    await token.process().place(kept);
    expect(await countBalancePlaces(store.query)).toBeGreaterThan(before);
  });

  it('stand in the database so that nobody reads there whose they are, or where', async () => {
    const token = new PlacedToken(store.query);
    const kept = await token.list(20);
    const process = token.process();
    const places = await process.place(kept);
    const pages = await readPages(store.query, payloadKeys, token.mint, 1);
    const { rows } = await store.database.pool.query(
      `select places as bytes from recipient_lists union all select free_places from liability_trees
        union all select content from balance_pages union all select content from balance_owners`,
    );
    const secrets = [
      ...ownersOf(kept).map(addressToBytes),
      ...kept.list.recipients.map(({ recipient }) => addressToBytes(recipient)),
      ...pages.map(({ nonce }) => nonce),
      Uint8Array.from(new Uint8Array(Uint32Array.from(places.slice(0, 2)).buffer)),
    ];
    for (const { bytes } of rows as { bytes: Uint8Array | null }[]) {
      for (const secret of secrets) expect(Buffer.from(bytes ?? []).includes(Buffer.from(secret))).toBe(false);
    }
    // What is private is in no log.
    const shown = JSON.stringify(process.lines());
    for (const { address } of await process.balances.pages.all(token.mint)) expect(shown).not.toContain(address);
    for (const owner of ownersOf(kept)) expect(shown).not.toContain(owner);
  });
});
