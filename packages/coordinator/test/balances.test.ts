import { randomBytes } from 'node:crypto';
import { addressFromBytes, addressToBytes, ownerRecord, prepareList, type RecipientList } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { KyselyPlugin } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Balances } from '../src/balances/balances.ts';
import { pageOfPlace } from '../src/domain/places.ts';
import { PayableLists } from '../src/lists/payableLists.ts';
import { localPayloadKeys } from '../src/store/crypto/payloadKeys.ts';
import { findList, type ListRow } from '../src/store/queries/lists.ts';
import { readPages } from '../src/store/queries/pageNames.ts';
import { countBalancePlaces, readPlaces } from '../src/store/queries/slots.ts';
import type { Db } from '../src/store/schema.ts';
import { balancesOver } from './support/balances.ts';
import { FakeBalances, placeAt } from './support/fakeBalances.ts';
import { layerShowing } from './support/fakeLayer.ts';
import { storeList } from './support/lists.ts';
import { keptLog } from './support/log.ts';
import { randomAddress, somePayees } from './support/promised.ts';
import { STORES, useStore } from './support/stores.ts';

const payloadKeys = localPayloadKeys(randomBytes(32));
const PROGRAM = randomAddress();

/** A list and what is stored of it. */
type Kept = { readonly list: RecipientList; readonly schedule: Address; readonly vault: Address; row: ListRow };

const ownersOf = ({ list }: Kept) => list.recipients.map((each) => addressFromBytes(ownerRecord(each).owner));

/** A token of its own over a database and a layer that shows what was claimed. */
class Token {
  readonly mint = randomAddress();
  readonly layer = new FakeBalances(this.mint, PROGRAM);
  readonly #lists: Kept[] = [];

  constructor(private readonly database: Db) {}

  /** A coordinator that has just begun. */
  process(database: Db = this.database) {
    const { log, lines } = keptLog();
    const layer = layerShowing(() => this.layer.accounts());
    const balances = balancesOver({ database, payloadKeys, layer, log, program: PROGRAM });
    const lists = new PayableLists({ database, payloadKeys });
    const place = async (kept: Kept) => {
      const row = await this.row(kept);
      const payees = await lists.read(row);
      await balances.place(row, payees, { vault: kept.vault, mint: this.mint });
      return [...(payees.places ?? [])];
    };
    return { balances, place, lines };
  }

  async list(size: number, vault: Address = randomAddress(), others: RecipientList['recipients'] = []): Promise<Kept> {
    const salts = new Map(others.map(({ recipient, salt }) => [recipient, salt]));
    const saltFor = (recipient: Address) => salts.get(recipient) ?? new Uint8Array(randomBytes(16));
    const list = prepareList([...somePayees(size), ...others], { saltFor });
    const schedule = randomAddress();
    const row = await storeList(this.database, payloadKeys, list, { mint: this.mint, vault, schedule });
    const kept = { list, schedule, vault, row };
    this.#lists.push(kept);
    return kept;
  }

  /** A list as it is stored now. */
  async row({ schedule, row }: Kept): Promise<ListRow> {
    return (await findList(this.database, schedule, row.root)) as ListRow;
  }

  /** Makes the pages of places in the layer, and claims them for a list's owners; a slot that another has stays theirs. */
  async claim(balances: Balances, kept: Kept, places: readonly number[]): Promise<void> {
    const pages = await balances.pages.of(this.mint, new Set(places.map(pageOfPlace)));
    for (const { number, nonce } of pages.values()) this.layer.makePage(number, nonce);
    for (const [index, owner] of ownersOf(kept).entries()) {
      const place = places[index] as number;
      const holder = [...this.layer.all.values()].find((each) => each.place === place);
      if (holder === undefined || holder.owner === owner) this.layer.add({ owner, place }, 1n);
    }
  }

  /** All that is stored of the token's places; put back, it is as after the restoration of a backup. */
  async backup(): Promise<() => Promise<void>> {
    const { database, mint } = this;
    const of = (table: 'liability_trees' | 'balance_pages' | 'balance_owners') =>
      database.selectFrom(table).selectAll().where('mint', '=', mint).execute();
    const [tree, pages, owners] = [await of('liability_trees'), await of('balance_pages'), await of('balance_owners')];
    const places = await Promise.all(this.#lists.map(async (kept) => ({ kept, row: await this.row(kept) })));
    return async () => {
      await database.deleteFrom('liability_trees').where('mint', '=', mint).execute();
      for (const row of tree)
        await database
          .insertInto('liability_trees')
          .values(row as never)
          .execute();
      for (const row of pages)
        await database
          .insertInto('balance_pages')
          .values(row as never)
          .execute();
      for (const row of owners)
        await database
          .insertInto('balance_owners')
          .values(row as never)
          .execute();
      for (const kept of this.#lists) {
        const before = places.find((each) => each.kept === kept)?.row.places ?? null;
        await database.updateTable('recipient_lists').set({ places: before }).where('id', '=', kept.row.id).execute();
      }
    };
  }
}

/** Every place is given to one owner, and every owner has one. */
function expectApart(...given: readonly (readonly [Kept, readonly number[]])[]): void {
  const byPlace = new Map<number, Address>();
  const byOwner = new Map<Address, number>();
  for (const [kept, places] of given) {
    expect(places).toHaveLength(kept.list.recipients.length);
    for (const [index, owner] of ownersOf(kept).entries()) {
      const place = places[index] as number;
      expect(place).toBeGreaterThanOrEqual(256);
      expect([byPlace.get(place) ?? owner, byOwner.get(owner) ?? place]).toEqual([owner, place]);
      byPlace.set(place, owner);
      byOwner.set(owner, place);
    }
  }
}

describe.each(STORES)('balances and their places on %s', (name) => {
  const store = useStore(name);

  it('have a place each, which is theirs in every list of the vault, and nobody else’s', async () => {
    const token = new Token(store.query);
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
    const token = new Token(store.query);
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
    const token = new Token(store.query);
    const { place } = token.process();
    const [first, others] = [await token.list(300), await token.list(40)];
    const [places, othersPlaces] = [await place(first), await place(others)];
    // As when an employer goes on with another key, and so with another vault.
    const moved = await token.list(10, randomAddress(), first.list.recipients);
    expectApart([first, places], [others, othersPlaces], [moved, await place(moved)]);
  });

  it('are given once by two processes at the same time', async () => {
    const token = new Token(store.query);
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

  it('are the same after a process was killed at any step, and no page is begun twice', async () => {
    const token = new Token(store.query);
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
    const token = new Token(store.query);
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
    const token = new Token(store.query);
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

  describe('when the database was lost, or is older than the layer', () => {
    it('are taken over from the pages, and new ones lie elsewhere', async () => {
      const token = new Token(store.query);
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
      const token = new Token(store.query);
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
      const token = new Token(store.query);
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
      const token = new Token(store.query);
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
      const token = new Token(store.query);
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
      const token = new Token(store.query);
      const kept = await token.list(300);
      const before = token.process();
      await token.claim(before.balances, kept, await before.place(kept));
      const after = token.process();
      await after.place(await token.list(3));
      expect([...before.lines(), ...after.lines()]).toEqual([]);
      expect((await token.row(kept)).places).not.toBeNull();
    });
  });
});
