import { addressToBytes, BALANCE_PAGE_KIND, HASH_BYTES, PAGE_HEAD_BYTES, type RandomBelow, SLOT_BYTES, type Time } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { ExecutionLayer } from '../ledger/ledger.ts';
import type { PayableList } from '../lists/payableList.ts';
import type { Logger } from '../platform/log/log.ts';
import type { PayloadKeys } from '../store/crypto/payloadKeys.ts';
import type { ListRow } from '../store/queries/lists.ts';
import { adoptPages, allotPlaces, pagesOfPlaces, readPages } from '../store/queries/slots.ts';
import type { Db } from '../store/schema.ts';
import { OWNER_ENTRY_BYTES } from './ownerIndex.ts';
import { BalancePages, type KnownPage } from './pages.ts';
import { PAGE_PLACES } from './places.ts';

const MINT_AT = 8;
const NUMBER_AT = 4;
const NONCE_AT = 40;

export type BalancesInput = {
  readonly database: Db;
  readonly payloadKeys: PayloadKeys;
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

/** Gives private balances their places in pages, and finds them there. */
export class Balances {
  readonly pages: BalancePages;
  /** Tokens whose places this process has given, or whose pages it has compared with the layer's. */
  readonly #compared = new Set<Address>();

  constructor(private readonly input: BalancesInput) {
    const { database, payloadKeys, time } = input;
    const read = (mint: Address) => readPages(database, payloadKeys, mint, time.now());
    this.pages = new BalancePages({ ...input, readPages: read });
  }

  /**
   * Sees to it that all balances of a list have a place. Throws `WrongPayloadKey`, `DecryptionFailed`, or `RunError` without the layer, or
   * where it has no room.
   */
  async place(list: ListRow, payees: PayableList, { vault, mint }: Owned): Promise<void> {
    if (payees.places !== undefined) return;
    const { database, payloadKeys, time, randomBelow, newNonce, mostBalances } = this.input;
    if (!this.#compared.has(mint)) await this.adopt(mint);
    const { owners } = payees;
    const at = time.now();
    const allotment = { list, mint, vault, owners, at, randomBelow, newNonce, mostBalances };
    payees.place(await allotPlaces(database, payloadKeys, allotment));
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
    const { database, payloadKeys, layer, program, time, log } = this.input;
    const found = await layer.programAccounts(program, [
      { at: 0, bytes: Uint8Array.of(BALANCE_PAGE_KIND) },
      { at: MINT_AT, bytes: addressToBytes(mint) },
    ]);
    const known = new Set((await readPages(database, payloadKeys, mint, time.now())).map(({ number }) => number));
    const shown = found.map(({ data }) => readHead(data));
    if (isForced || shown.some(({ number }) => !known.has(number))) {
      const entries = Buffer.concat(found.map(({ data }) => entriesOf(data)));
      await adoptPages(database, payloadKeys, { mint, pages: shown, entries, at: time.now() });
      this.pages.forget(mint);
      log.warn({ mint, count: shown.length }, 'pages of balances that the database did not know were taken over');
    }
    this.#compared.add(mint);
  }
}

function readHead(data: Uint8Array): { readonly number: number; readonly nonce: Uint8Array } {
  const view = new DataView(data.buffer, data.byteOffset);
  return { number: view.getUint32(NUMBER_AT, true), nonce: data.slice(NONCE_AT, PAGE_HEAD_BYTES) };
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
