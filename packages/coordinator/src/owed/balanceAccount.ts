import { addressFromBytes, BALANCE_KIND } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Held, LedgerAccount } from '../ledger/ledger.ts';
import type { OwedBalance } from './record.ts';

/** Where a balance's account holds what is needed here. Read by hand: tens of thousands are read at once. */
const AT = {
  attention: 3,
  amount: 8,
  mint: 16,
  recipient: 48,
  pendingNumber: 80,
  pendingAmount: 88,
  wallet: 96,
  issuedAt: 128,
};

/** A balance as the execution layer shows it. Private. */
export type SeenBalance = OwedBalance & {
  readonly mint: Address;
  readonly pendingWallet: Address;
  /** Unix seconds of the layer's clock; 0: the withdrawal under way was not issued yet. */
  readonly issuedAt: bigint;
};

/** The balance in an account; undefined if it is none of our program. */
export function seenBalance(account: LedgerAccount | null, program: Address): SeenBalance | undefined {
  if (account === null || account.owner !== program || account.data[0] !== BALANCE_KIND) return undefined;
  const { data, address: balance } = account;
  const view = new DataView(data.buffer, data.byteOffset);
  const address = (at: number) => addressFromBytes(data.subarray(at, at + 32));
  return {
    balance,
    mint: address(AT.mint),
    recipient: address(AT.recipient),
    amount: view.getBigUint64(AT.amount, true),
    pendingNumber: view.getBigUint64(AT.pendingNumber, true),
    pendingAmount: view.getBigUint64(AT.pendingAmount, true),
    pendingWallet: address(AT.wallet),
    issuedAt: view.getBigInt64(AT.issuedAt, true),
  };
}

const isBalance: Held = { at: 0, bytes: Uint8Array.of(BALANCE_KIND) };

/** Balances of which something is to leave. */
export const WITH_ATTENTION: readonly Held[] = [isBalance, { at: AT.attention, bytes: Uint8Array.of(1) }];
/** Balances of one token. */
export const ofMint = (mint: Uint8Array): readonly Held[] => [isBalance, { at: AT.mint, bytes: mint }];
/** Of these, the recipients' addresses begin with this byte: a way to read very many in parts. */
export const recipientsFrom = (byte: number): Held => ({ at: AT.recipient, bytes: Uint8Array.of(byte) });
