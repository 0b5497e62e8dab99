import { randomBytes } from 'node:crypto';
import { addressFromBytes, ownerRecord, prepareList, type RecipientList } from '@payouts/client';
import type { Address } from '@solana/kit';
import { expect } from 'vitest';
import type { Balances } from '../../src/balances/balances.ts';
import { pageOfPlace } from '../../src/domain/places.ts';
import { PayableLists } from '../../src/lists/payableLists.ts';
import { localPayloadKeys } from '../../src/store/crypto/payloadKeys.ts';
import { findList, type ListRow } from '../../src/store/queries/lists.ts';
import type { Db } from '../../src/store/schema.ts';
import { balancesOver } from './balances.ts';
import { FakeBalances } from './fakeBalances.ts';
import { layerShowing } from './fakeLayer.ts';
import { storeList } from './lists.ts';
import { keptLog } from './log.ts';
import { randomAddress, somePayees } from './promised.ts';

export const payloadKeys = localPayloadKeys(randomBytes(32));
export const PROGRAM = randomAddress();

/** A list and what is stored of it. */
export type Kept = { readonly list: RecipientList; readonly schedule: Address; readonly vault: Address; row: ListRow };

/** Whose balances a list's entries are paid into, in base 58. */
export const ownersOf = ({ list }: Kept) => list.recipients.map((each) => addressFromBytes(ownerRecord(each).owner));

/** A token of its own over a database and a layer that shows what was claimed. */
export class PlacedToken {
  readonly mint = randomAddress();
  readonly layer = new FakeBalances(this.mint, PROGRAM);
  readonly #lists: Kept[] = [];

  constructor(private readonly database: Db) {}

  /** A coordinator that has just begun. */
  process(database: Db = this.database, mostBalances?: number) {
    const { log, lines } = keptLog();
    const layer = layerShowing(() => this.layer.accounts());
    const room = mostBalances === undefined ? {} : { mostBalances };
    const balances = balancesOver({ database, payloadKeys, layer, log, program: PROGRAM, ...room });
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
export function expectApart(...given: readonly (readonly [Kept, readonly number[]])[]): void {
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
