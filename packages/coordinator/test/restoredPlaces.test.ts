import { randomBytes } from 'node:crypto';
import type { Address } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import { pageOfPlace } from '../src/domain/places.ts';
import { placeAt } from './support/fakeBalances.ts';
import { expectApart, ownersOf, PlacedToken } from './support/placedToken.ts';
import { randomAddress } from './support/promised.ts';
import { STORES, useStore } from './support/stores.ts';

describe.each(STORES)('places of balances when the database was lost, or is older than the layer, on %s', (name) => {
  const store = useStore(name);

  it('are taken over from the pages, and new ones lie elsewhere', async () => {
    const token = new PlacedToken(store.query);
    const empty = await token.backup();
    const vault = randomAddress();
    const paid = await token.list(300, vault);
    const before = token.process();
    const places = await before.place(paid);
    await token.claim(before.balances, paid, places);
    await empty();

    const after = token.process();
    const others = await token.list(400);
    const given = await after.place(others);
    expectApart([paid, places], [others, given]);
    expect(await after.place(paid)).toEqual(places);
    expect(after.lines()).toMatchObject([{ mint: token.mint, count: new Set(places.map(pageOfPlace)).size }]);
    // The pages are where they were: their nonces were read from them.
    const pages = await after.balances.of(token.mint, { places } as never);
    for (const { address } of pages.values()) expect(token.layer.isPage(address)).toBe(true);
  });

  it('are not given twice where the backup knows all pages, but not who has come into them since', async () => {
    const token = new PlacedToken(store.query);
    const first = await token.list(5);
    const before = token.process();
    const firstPlaces = await before.place(first);
    await token.claim(before.balances, first, firstPlaces);
    const restore = await token.backup();
    const vault = randomAddress();
    const later = await token.list(7, vault);
    const laterPlaces = await before.place(later);
    await token.claim(before.balances, later, laterPlaces);
    await restore();

    const after = token.process();
    // More than are free: they are mixed anew, so that hardly any of them meets one that is taken.
    const others = await token.list(250, vault);
    const given = await after.place(others);
    expectApart([first, firstPlaces], [later, laterPlaces], [others, given]);
    expect(await after.place(later)).toEqual(laterPlaces);
    expect(await after.place(first)).toEqual(firstPlaces);
  });

  it('are given anew where the database has given what others have', async () => {
    const token = new PlacedToken(store.query);
    const vault = randomAddress();
    const known = await token.list(4, vault);
    const wrong = await token.list(6, vault);
    const elsewhere = await token.list(6);
    const process = token.process();
    const [knownPlaces, wrongPlaces] = [await process.place(known), await process.place(wrong)];
    await token.claim(process.balances, known, knownPlaces);
    // The layer has others where the database says that these are, and one of these elsewhere.
    for (const [index, owner] of ownersOf(elsewhere).entries()) {
      await token.claim(process.balances, known, knownPlaces);
      token.layer.makePage(pageOfPlace(wrongPlaces[index] as number), randomBytes(16));
      token.layer.add({ owner, place: wrongPlaces[index] as number }, 1n);
    }
    const moved = ownersOf(wrong)[0] as Address;
    token.layer.makePage(900, randomBytes(16));
    token.layer.add({ owner: moved, place: placeAt(900, 3) }, 1n);
    await process.balances.adopt(token.mint, true);

    const mended = await process.place(wrong);
    expectApart([known, knownPlaces], [wrong, mended], [elsewhere, wrongPlaces]);
    expect(mended[0]).toBe(placeAt(900, 3));
    expect(await process.place(known)).toEqual(knownPlaces);
    expect(await process.place(elsewhere)).toEqual(wrongPlaces);
    expect(await token.process().place(wrong)).toEqual(mended);
  });

  it('are not taken from a process’s memory once another process has taken over the layer’s', async () => {
    const token = new PlacedToken(store.query);
    const kept = await token.list(6);
    const [one, other] = [token.process(), token.process()];
    const places = await one.place(kept);
    const [owner] = ownersOf(kept) as [Address];
    token.layer.makePage(900, randomBytes(16));
    token.layer.add({ owner, place: placeAt(900, 3) }, 1n);
    await other.balances.adopt(token.mint, true);
    const now = await one.place(kept);
    expect(now[0]).toBe(placeAt(900, 3));
    expect(now.slice(1)).toEqual(places.slice(1));
  });

  it('are taken over by a running process whose database has lost what it gave last', async () => {
    const token = new PlacedToken(store.query);
    const process = token.process();
    const first = await token.list(5);
    const firstPlaces = await process.place(first);
    await token.claim(process.balances, first, firstPlaces);
    const restore = await token.backup();
    const lost = await token.list(300);
    const lostPlaces = await process.place(lost);
    await token.claim(process.balances, lost, lostPlaces);
    // As when a server that was behind takes over.
    await restore();
    const others = await token.list(300);
    const given = await process.place(others);
    expectApart([first, firstPlaces], [lost, lostPlaces], [others, given]);
  });

  it('are left alone where the layer shows what the database knows', async () => {
    const token = new PlacedToken(store.query);
    const kept = await token.list(300);
    const before = token.process();
    await token.claim(before.balances, kept, await before.place(kept));
    const after = token.process();
    await after.place(await token.list(3));
    expect([...before.lines(), ...after.lines()]).toEqual([]);
    expect((await token.row(kept)).places).not.toBeNull();
  });
});
