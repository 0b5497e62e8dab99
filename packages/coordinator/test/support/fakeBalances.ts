import { randomBytes } from 'node:crypto';
import {
  addressToBytes,
  derivePageAddress,
  getBalancePageEncoder,
  getSlotEncoder,
  PAGE_HEAD_BYTES,
  PAGE_PERSONAL_AT,
  PAGE_SLOTS,
  personalKey,
  personalNamed,
  SLOT_BYTES,
  type WithdrawingArgs,
} from '@payouts/client';
import { BLANK_PAGE } from '@payouts/testing/blankAccounts';
import type { Address } from '@solana/kit';
import { PAGE_PLACES, pageOfPlace, slotOfPlace } from '../../src/domain/places.ts';
import type { LedgerAccount } from '../../src/ledger/ledger.ts';
import { personalAccount, underWay } from './personal.ts';
import { randomAddress } from './promised.ts';

/** Withdrawals of one balance that may be under way at a time: fewer than there are really, so that a test soon has so many. */
const MOST_UNDER_WAY = 3;
/** In what a page notes of a personal account. */
const IS_THERE = 0x8000;

/** Whose balance, 32 bytes in base 58, and where it is. */
export type FakePlace = { readonly owner: Address; readonly place: number };

/** A withdrawal that has its number; base units. `dueAt`: unix seconds from which on it may be issued again. */
export type FakeWithdrawal = {
  readonly number: bigint;
  readonly amount: bigint;
  wallet: Address;
  dueAt?: bigint;
};
/** A balance and its withdrawals under way; base units. */
export type FakeBalance = FakePlace & {
  amount: bigint;
  withdrawals: FakeWithdrawal[];
  readonly personal: Address;
  /** What its page notes of its personal account. */
  noted: number;
};

type Page = { readonly address: Address; readonly nonce: Uint8Array; readonly bump: number };

/** Private balances of one token as the execution layer shows them: pages, and accounts of those who have withdrawn. */
export class FakeBalances {
  /** By owner. */
  readonly all = new Map<Address, FakeBalance>();
  readonly #pages = new Map<number, Page>();
  /** Of pages, by address. */
  readonly #numbers = new Map<Address, number>();
  /** Personal accounts are made once. */
  readonly #personal = new Map<Address, Address>();

  constructor(
    private readonly mint: Address,
    private readonly program: Address,
  ) {}

  /** A page is made, empty; twice does nothing. */
  makePage(number: number, nonce: Uint8Array = new Uint8Array(randomBytes(16))): void {
    if (this.#pages.has(number)) return;
    const page = { nonce, ...derivePageAddress(this.mint, nonce, this.program) };
    this.#pages.set(number, page);
    this.#numbers.set(page.address, number);
  }

  /** Where a page is that was made. */
  addressOf(number: number): Address {
    return (this.#pages.get(number) as Page).address;
  }

  /** Whether that is a page's address. */
  isPage(address: Address): boolean {
    return this.#numbers.has(address);
  }

  add({ owner, place }: FakePlace, amount: bigint): void {
    const known = this.all.get(owner);
    if (known !== undefined) {
      known.amount += amount;
      return;
    }
    const personal = this.#personal.get(owner) ?? randomAddress();
    this.#personal.set(owner, personal);
    this.all.set(owner, { owner, place, amount, withdrawals: [], personal, noted: 0 });
  }

  /** Gives a withdrawal its number, as far as the balance has so much and room for one more. */
  withdraw(balance: FakeBalance, amount: bigint, number: () => bigint): void {
    if (amount === 0n || balance.amount < amount || balance.withdrawals.length === MOST_UNDER_WAY) return;
    balance.amount -= amount;
    balance.withdrawals.push({ number: number(), amount, wallet: randomAddress() });
  }

  /** A balance gets its personal account with this number, or, if it is not there, had it. Where that is. */
  note(owner: Address, number: number, isThere = true): Address {
    const balance = this.all.get(owner);
    const page = balance && this.#pages.get(pageOfPlace(balance.place));
    if (balance === undefined || page === undefined) throw new Error('There is no such balance.');
    balance.noted = number + (isThere ? IS_THERE : 0);
    const deployment = { programAddress: this.program };
    return personalNamed(this.mint, personalKey(page.nonce, addressToBytes(owner)), number, deployment).address;
  }

  /** A withdrawal is not under way any more. */
  clear(balance: FakeBalance, number: bigint): void {
    balance.withdrawals = balance.withdrawals.filter((each) => each.number !== number);
  }

  /** The account at an address, if there is one. */
  account(address: Address): LedgerAccount | undefined {
    const number = this.#numbers.get(address);
    if (number !== undefined) return this.#page(number);
    for (const balance of this.all.values()) if (balance.personal === address) return this.#personalOf(balance);
    return undefined;
  }

  /** Every account that there is. */
  accounts(): LedgerAccount[] {
    const pages = [...this.#pages.keys()].map((number) => this.#page(number));
    return [...pages, ...[...this.all.values()].map((balance) => this.#personalOf(balance))];
  }

  #page(number: number): LedgerAccount {
    const { address, nonce, bump } = this.#pages.get(number) as Page;
    const head = getBalancePageEncoder().encode({ ...BLANK_PAGE, bump, number, nonce, mint: this.mint, slots: [] });
    const data = Buffer.alloc(PAGE_HEAD_BYTES + PAGE_SLOTS * SLOT_BYTES);
    data.set(head);
    for (const { owner, place, amount, noted } of this.all.values()) {
      if (pageOfPlace(place) !== number) continue;
      const slot = getSlotEncoder().encode({ owner: addressToBytes(owner), amount });
      data.set(slot, PAGE_HEAD_BYTES + slotOfPlace(place) * SLOT_BYTES);
      data.writeUInt16LE(noted, PAGE_PERSONAL_AT + 2 * slotOfPlace(place));
    }
    return { address, owner: this.program, lamports: 1n, data: Uint8Array.from(data) };
  }

  #personalOf({ owner, place, withdrawals, personal }: FakeBalance): LedgerAccount {
    const page = this.#pages.get(pageOfPlace(place))?.address ?? randomAddress();
    const shown = withdrawals.map((each, at): WithdrawingArgs => underWay({ ...each, id: at + 1 }));
    return personalAccount(
      { mint: this.mint, owner: addressToBytes(owner), page, slot: slotOfPlace(place), withdrawals: shown },
      { address: personal, program: this.program },
    );
  }
}

/** The place of a slot of a page. */
export const placeAt = (page: number, slot: number): number => page * PAGE_PLACES + slot;
