import {
  addressFromBytes,
  BALANCE_PAGE_KIND,
  BITMAP_PAGE_KIND,
  getBalancePageDecoder,
  getBitmapPageDecoder,
  PAYOUT_LEDGER_PROGRAM_ADDRESS as program,
} from '@payouts/client';
import type { State } from '@payouts/testing/litesvm/ledger';
import type { Address } from '@solana/kit';
import { batchOf, poolOf, scheduleOf, vaultOf } from '../../../src/ledger/accounts.ts';
import type { LedgerAccount } from '../../../src/ledger/ledger.ts';

type Version = { readonly at: number; readonly account: State | null };

/** Milliseconds for which former versions are kept: longer than anybody asks back. */
const KEPT_MS = 300_000;

/** The accounts of a ledger as they were at any moment of the last minutes; without a past, as they were put last. */
export class Accounts {
  /** Versions of each account, the newest last. */
  readonly #versions = new Map<Address, Version[]>();
  readonly #ofKind = new Map<number, Set<Address>>();

  constructor(private readonly hasPast: boolean) {}

  has(address: Address): boolean {
    return this.#versions.has(address);
  }

  /** Unix milliseconds, not earlier than any put before at this address; null: there is none any more. */
  put(address: Address, account: State | null, at: number): void {
    const kind = account?.owner === program ? account.data[0] : undefined;
    if (kind !== undefined) this.#ofKind.set(kind, (this.#ofKind.get(kind) ?? new Set()).add(address));
    const versions = (this.hasPast && this.#versions.get(address)) || [];
    this.#versions.set(address, versions);
    // Asked back for a moment, one sees the last version that is not later.
    while (versions.length > 1 && (versions[1] as Version).at < at - KEPT_MS) versions.shift();
    versions.push({ at, account });
  }

  /** As it was at a moment, now by default. */
  get(address: Address, at = Number.POSITIVE_INFINITY): State | null {
    // What is not watched is put when it is read, which may be later than the moment that is asked for.
    const isThen = (version: Version) => !this.hasPast || version.at <= at;
    return this.#versions.get(address)?.findLast(isThen)?.account ?? null;
  }

  /** Addresses of all accounts of the ledger program that have ever been of a kind, by their first byte. */
  ofKind(kind: number): Iterable<Address> {
    return this.#ofKind.get(kind) ?? [];
  }
}

/** Decodes each version of an account once. */
function once<T>(decode: (account: LedgerAccount, program: Address) => T | undefined) {
  const known = new WeakMap<LedgerAccount, T | undefined>();
  return (account: LedgerAccount | null): T | undefined => {
    if (account === null) return undefined;
    if (!known.has(account)) known.set(account, decode(account, program));
    return known.get(account);
  };
}

/** What an account of the ledger program holds; undefined for one of another kind or program. */
export const readSchedule = (account: LedgerAccount | null) => scheduleOf(account, program);
export const readVault = (account: LedgerAccount | null) => vaultOf(account, program);
export const readPool = (account: LedgerAccount | null) => poolOf(account, program);
export const readBatch = (account: LedgerAccount | null) => batchOf(account, program);

/** A page of balances: of each slot who has it, in base 58, and base units. */
export type Page = {
  readonly mint: Address;
  readonly slots: readonly { readonly owner: Address; readonly amount: bigint }[];
};

export const readPage = once(({ data, owner }, of): Page | undefined => {
  if (owner !== of || data[0] !== BALANCE_PAGE_KIND) return undefined;
  const { mint, slots } = getBalancePageDecoder().decode(data);
  return {
    mint,
    slots: slots.map((slot) => ({ owner: addressFromBytes(Uint8Array.from(slot.owner)), amount: slot.amount })),
  };
});

/** A page of an open window's bitmap. */
export const readBitmapPage = once(({ data, owner }, of) => {
  if (owner !== of || data[0] !== BITMAP_PAGE_KIND) return undefined;
  const { schedule, window, number, bitmap } = getBitmapPageDecoder().decode(data);
  return { schedule, window, number, bitmap: Uint8Array.from(bitmap) };
});
