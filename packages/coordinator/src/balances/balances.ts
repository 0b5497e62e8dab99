import {
  addressToBytes,
  BALANCE_PAGE_KIND,
  HASH_BYTES,
  PAGE_HEAD_BYTES,
  type RandomBelow,
  SLOT_BYTES,
  type Time,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { OWNER_ENTRY_BYTES } from '../domain/ownerIndex.ts';
import { PAGE_PLACES, pagesOfPlaces } from '../domain/places.ts';
import type { ExecutionLayer } from '../ledger/ledger.ts';
import type { PayableList } from '../lists/payableList.ts';
import type { Logger } from '../platform/log/log.ts';
import type { BalanceStore } from '../store/balanceStore.ts';
import type { ListRow } from '../store/queries/lists.ts';
import type { Allotted, AllottedList } from '../store/queries/slots.ts';
import { Allotter } from './allotter.ts';
import { BalancePages, type KnownPage } from './pages.ts';

const MINT_AT = 8;
const NUMBER_AT = 4;
const NONCE_AT = 40;
const NONCE_BYTES = 16;

export type BalancesInput = {
  readonly store: BalanceStore;
  readonly layer: ExecutionLayer;
  readonly program: Address;
  readonly time: Time;
  readonly log: Logger;
  readonly randomBelow: RandomBelow;
  /** A nonce of 16 bytes. */
  readonly newNonce: () => Uint8Array;
  /** Balances that the layer has room for, of all tokens. */
  readonly mostBalances: number;
};

/** Of which vault and token a list's balances are. */
type Owned = { readonly vault: Address; readonly mint: Address };

/** The number from which on pages of a list were begun when it got its places, if any were. */
type Placed = { readonly begunFrom: number | undefined };

/** Gives private balances their places in pages, and finds them there. */
export class Balances {
  readonly pages: BalancePages;
  /** Tokens whose pages this process has compared with the layer's, and the next page's number when it gave places last. */
  readonly #nextPages = new Map<Address, number>();
  readonly #allotters = new Map<Address, Allotter>();

  constructor(private readonly input: BalancesInput) {
    const { store, time } = input;
    this.pages = new BalancePages({ ...input, readPages: (mint) => store.readPages(mint, time.now()) });
  }

  /**
   * Sees to it that all balances of a list have a place. Throws `WrongPayloadKey`, `DecryptionFailed`, or `RunError` without the layer, or where it
   * has no room.
   */
  async place(list: ListRow, payees: PayableList, { vault, mint }: Owned): Promise<Placed> {
    // What this process remembers counts no longer where other places were taken over meanwhile.
    if (payees.places !== undefined && list.places !== null) return { begunFrom: undefined };
    const { places, from } = await this.#allotterOf(mint).placesFor({ list, vault, terms: payees.terms });
    payees.place(places);
    return { begunFrom: from };
  }

  #allotterOf(mint: Address): Allotter {
    const allotter = this.#allotters.get(mint) ?? new Allotter((lists) => this.#allot(mint, lists));
    this.#allotters.set(mint, allotter);
    return allotter;
  }

  async #allot(mint: Address, lists: readonly AllottedList[]): Promise<Allotted> {
    const { store, time, randomBelow, newNonce, mostBalances } = this.input;
    const allot = () => store.allotPlaces({ mint, lists, at: time.now(), randomBelow, newNonce, mostBalances });
    await this.compare(mint);
    let given = await allot();
    if (given.from < (this.#nextPages.get(mint) ?? 0)) {
      // The database has gone back behind what it has given here: a server that was behind has taken over.
      await this.adopt(mint, true);
      given = await allot();
    }
    this.#nextPages.set(mint, given.nextPage);
    return given;
  }

  /** Sees to it that this process has compared a token's pages with the layer's. */
  async compare(mint: Address): Promise<void> {
    if (!this.#nextPages.has(mint)) await this.adopt(mint);
  }

  /** The pages where a list's balances are, by number. */
  of(mint: Address, payees: PayableList): Promise<ReadonlyMap<number, KnownPage>> {
    return this.pages.of(mint, pagesOfPlaces(payees.places ?? []));
  }

  /**
   * Takes over the layer's pages of a token that the database does not know, if there are any: it was lost, or an older one was restored.
   * `isForced`: all of them, for what it knows is wrong.
   */
  async adopt(mint: Address, isForced = false): Promise<void> {
    const { store, layer, program, time, log } = this.input;
    const found = await layer.programAccounts(program, [
      { at: 0, bytes: Uint8Array.of(BALANCE_PAGE_KIND) },
      { at: MINT_AT, bytes: addressToBytes(mint) },
    ]);
    const shown = {
      mint,
      pages: found.map(({ data }) => readHead(data)),
      entries: Buffer.concat(found.map(({ data }) => entriesOf(data))),
      at: time.now(),
    };
    if (isForced || (await store.isBehind(shown))) {
      await store.adoptPages(shown);
      this.pages.forget(mint);
      const count = shown.pages.length;
      log.warn({ mint, count }, 'pages of balances that the database did not know were taken over');
    }
    if (!this.#nextPages.has(mint)) this.#nextPages.set(mint, 0);
  }
}

function readHead(data: Uint8Array): { readonly number: number; readonly nonce: Uint8Array } {
  const view = new DataView(data.buffer, data.byteOffset);
  return { number: view.getUint32(NUMBER_AT, true), nonce: data.slice(NONCE_AT, NONCE_AT + NONCE_BYTES) };
}

/** owner 32 ‖ place u32 of each slot that has an owner. */
function entriesOf(data: Uint8Array): Buffer {
  const { number } = readHead(data);
  const entries: Buffer[] = [];
  for (let slot = 0, at = PAGE_HEAD_BYTES; at + SLOT_BYTES <= data.length; slot++, at += SLOT_BYTES) {
    const owner = data.subarray(at, at + HASH_BYTES);
    if (owner.every((byte) => byte === 0)) continue;
    const entry = Buffer.alloc(OWNER_ENTRY_BYTES);
    entry.set(owner);
    entry.writeUInt32LE(number * PAGE_PLACES + slot, HASH_BYTES);
    entries.push(entry);
  }
  return Buffer.concat(entries);
}
