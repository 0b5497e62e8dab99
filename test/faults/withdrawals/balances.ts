import { setTimeout as sleep } from 'node:timers/promises';
import { balancePages, slotsOf } from '@payouts/cli';
import {
  addressFromBytes,
  addressToBytes,
  type BalancePlace,
  getBalancePageDecoder,
  getPersonalDecoder,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  PERSONAL_KIND,
  type Personal,
  personalKey,
  readNotedPersonal,
  type Withdrawing,
} from '@payouts/client';
import type { World } from '@payouts/testing/world';
import { type Address, type Base58EncodedBytes, getBase58Decoder, getBase64Encoder } from '@solana/kit';
import type { Person } from './stage.ts';

/** Where a personal account has its token. */
const MINT_AT = 8n;
const LOOK_MS = 200;

const base58 = (bytes: Uint8Array) => getBase58Decoder().decode(bytes) as Base58EncodedBytes;

/** Seconds after which a payout is issued again. */
const REISSUE_AFTER = 30;
/** Seconds after which one that was issued has come to nothing. */
const FAILED_AFTER = 25;

/** An account of what a recipient asks. */
type OfRecipient = Personal & { readonly address: Address };

/** What a personal account that is made next is called by, among those that are made one after the other. */
type Next = { readonly key: Uint8Array; readonly last: number };

/** A private balance: where, what it holds in base units, what its recipient has asked of it, and what of that is under way. */
export type Held = {
  readonly place: BalancePlace;
  readonly amount: bigint;
  readonly next: Next;
  readonly personal: OfRecipient | undefined;
  readonly underWay: readonly Withdrawing[];
};

type Watched = Pick<Person, 'owner'>;

/** Everybody's private balance as the execution layer showed it last, read for all of them together. */
export class BalanceWatch {
  readonly #seen = new Map<Address, Held>();
  readonly #over = new AbortController();
  readonly #looking: Promise<void>;
  #looks = 0;
  /** Numbers of withdrawals whose payout was seen to come to nothing. */
  readonly failed = new Set<bigint>();

  constructor(
    private readonly world: World,
    private readonly mint: Address,
    private readonly people: readonly Watched[],
  ) {
    this.#looking = this.#look();
  }

  /** Undefined before they are paid for the first time. */
  of({ owner }: Pick<Person, 'owner'>): Held | undefined {
    return this.#seen.get(owner);
  }

  /** Waits for a look that begins after this call. */
  async fresh(): Promise<void> {
    const enough = this.#looks + 2;
    while (this.#looks < enough) await sleep(LOOK_MS / 4);
  }

  async stop(): Promise<void> {
    this.#over.abort();
    await this.#looking;
  }

  async #look(): Promise<void> {
    while (!this.#over.signal.aborted) {
      // The validator may be away.
      const isRead = await this.#read().catch(() => false);
      if (isRead) this.#looks += 1;
      await sleep(LOOK_MS);
    }
  }

  async #read(): Promise<true> {
    const { ledgers } = this.world;
    const held = new Map<Address, BalancePlace & Pick<Held, 'amount' | 'next'>>();
    for (const { address: page, bytes } of await balancePages(ledgers, this.mint)) {
      const { nonce, personal } = getBalancePageDecoder().decode(bytes);
      for (const { slot, owner, amount } of slotsOf(bytes)) {
        const key = personalKey(Uint8Array.from(nonce), addressToBytes(owner));
        const { number: last } = readNotedPersonal(personal[slot] as number);
        held.set(owner, { page, slot, amount, next: { key, last } });
      }
    }
    // After the pages: what has left a balance since stands in no list that is older.
    const asked = await this.#personal();
    for (const { owner } of this.people) {
      const found = held.get(owner);
      if (found === undefined) continue;
      const { amount, next, ...place } = found;
      const personal = asked.get(owner);
      const underWay = (personal?.withdrawals ?? []).filter((each) => each.amount !== 0n);
      this.#seen.set(owner, { place, amount, next, personal, underWay });
      for (const { number, dueAt } of underWay) {
        const age = Date.now() / 1_000 - (Number(dueAt) - REISSUE_AFTER);
        if (number !== 0n && dueAt !== 0n && age > FAILED_AFTER) this.failed.add(number);
      }
    }
    return true;
  }

  /** The accounts of what recipients ask, by the owners of their balances. */
  async #personal(): Promise<Map<Address, OfRecipient>> {
    const filters = [
      { memcmp: { offset: 0n, bytes: base58(Uint8Array.of(PERSONAL_KIND)), encoding: 'base58' as const } },
      { memcmp: { offset: MINT_AT, bytes: base58(addressToBytes(this.mint)), encoding: 'base58' as const } },
    ];
    const { layer } = this.world.ledgers;
    const found = await layer.getProgramAccounts(PAYOUT_LEDGER_PROGRAM_ADDRESS, { encoding: 'base64', filters }).send();
    return new Map(
      found.map(({ pubkey: address, account }) => {
        const personal = getPersonalDecoder().decode(getBase64Encoder().encode(account.data[0]));
        return [addressFromBytes(Uint8Array.from(personal.owner)), { ...personal, address }];
      }),
    );
  }
}
