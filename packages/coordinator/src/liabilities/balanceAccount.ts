import { addressFromBytes, BALANCE_KIND } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { LiabilityBalance } from '../domain/liability.ts';
import type { LedgerAccount, MemcmpFilter } from '../ledger/ledger.ts';

/** Where a balance's account holds what is needed here. Read by hand: tens of thousands are read at once. */
const AT = {
  attention: 3,
  delayMin: 4,
  delayMax: 6,
  amount: 8,
  mint: 16,
  recipient: 48,
  pendingNumber: 80,
  pendingAmount: 88,
  wallet: 96,
  dueAt: 128,
  orderThreshold: 144,
};

/**
 * A balance as the execution layer shows it. What waits for its release is part of `amount`. Private. Tens of thousands are read for a
 * few numbers, so all else, addresses above all, is decoded when it is asked for.
 */
export class ObservedBalance implements LiabilityBalance {
  readonly balance: Address;
  readonly amount: bigint;
  readonly pendingNumber: bigint;
  readonly pendingAmount: bigint;
  readonly #data: Uint8Array;
  readonly #view: DataView;

  constructor(balance: Address, data: Uint8Array) {
    this.balance = balance;
    this.#data = data;
    this.#view = new DataView(data.buffer, data.byteOffset);
    this.amount = this.#view.getBigUint64(AT.amount, true);
    this.pendingNumber = this.#view.getBigUint64(AT.pendingNumber, true);
    this.pendingAmount = this.pendingNumber === 0n ? 0n : this.#view.getBigUint64(AT.pendingAmount, true);
  }

  get mint(): Address {
    return this.#address(AT.mint);
  }

  get recipient(): Address {
    return this.#address(AT.recipient);
  }

  get pendingWallet(): Address {
    return this.#address(AT.wallet);
  }

  /** Unix seconds of the layer's clock: of the release, or with a number from when on it may be issued; 0: at once. */
  get dueAt(): bigint {
    return this.#view.getBigInt64(AT.dueAt, true);
  }

  /** Minutes within which the withdrawal that it asks for now is to be released; undefined: at once. */
  get delays(): { readonly least: number; readonly most: number } | undefined {
    const threshold = this.#view.getBigUint64(AT.orderThreshold, true);
    const hasAsked = this.#view.getBigUint64(AT.pendingAmount, true) !== 0n;
    const most = this.#view.getUint16(AT.delayMax, true);
    if (hasAsked || threshold === 0n || this.amount < threshold || most === 0) return undefined;
    return { least: this.#view.getUint16(AT.delayMin, true), most };
  }

  #address(at: number): Address {
    return addressFromBytes(this.#data.subarray(at, at + 32));
  }
}

/** The balance in an account; undefined if it is none of our program. */
export function observedBalance(account: LedgerAccount | null, program: Address): ObservedBalance | undefined {
  if (account === null || account.owner !== program || account.data[0] !== BALANCE_KIND) return undefined;
  return new ObservedBalance(account.address, account.data);
}

const isBalance: MemcmpFilter = { at: 0, bytes: Uint8Array.of(BALANCE_KIND) };

/** Balances of which something is to leave now. */
export const WITH_ATTENTION: readonly MemcmpFilter[] = [isBalance, { at: AT.attention, bytes: Uint8Array.of(1) }];
/** Balances of which a withdrawal waits for its release time. */
export const WAITING: readonly MemcmpFilter[] = [isBalance, { at: AT.attention, bytes: Uint8Array.of(2) }];
/** Balances of one token. */
export const ofMint = (mint: Uint8Array): readonly MemcmpFilter[] => [isBalance, { at: AT.mint, bytes: mint }];
/** Of these, the recipients' addresses begin with this byte: a way to read very many in parts. */
export const recipientsFrom = (byte: number): MemcmpFilter => ({ at: AT.recipient, bytes: Uint8Array.of(byte) });
