import { addressFromBytes, BALANCE_KIND } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Held, LedgerAccount } from '../ledger/ledger.ts';
import type { OwedBalance } from './record.ts';

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

/** A balance as the execution layer shows it. What waits for its release is part of `amount`. Private. */
export type SeenBalance = OwedBalance & {
  readonly mint: Address;
  readonly pendingWallet: Address;
  /** Unix seconds of the layer's clock: of the release, or with a number from when on it may be issued; 0: at once. */
  readonly dueAt: bigint;
  /** Minutes within which the withdrawal that it asks for now is to be released; undefined: at once. */
  readonly delays: { readonly least: number; readonly most: number } | undefined;
};

/** The balance in an account; undefined if it is none of our program. */
export function seenBalance(account: LedgerAccount | null, program: Address): SeenBalance | undefined {
  if (account === null || account.owner !== program || account.data[0] !== BALANCE_KIND) return undefined;
  const { data, address: balance } = account;
  const view = new DataView(data.buffer, data.byteOffset);
  const address = (at: number) => addressFromBytes(data.subarray(at, at + 32));
  const number = (at: number) => view.getBigUint64(at, true);
  const [amount, pendingNumber, pendingAmount] = [
    number(AT.amount),
    number(AT.pendingNumber),
    number(AT.pendingAmount),
  ];
  const threshold = number(AT.orderThreshold);
  const asksByOrder = pendingAmount === 0n && threshold !== 0n && amount >= threshold;
  const most = view.getUint16(AT.delayMax, true);
  return {
    balance,
    mint: address(AT.mint),
    recipient: address(AT.recipient),
    amount,
    pendingNumber,
    pendingAmount: pendingNumber === 0n ? 0n : pendingAmount,
    pendingWallet: address(AT.wallet),
    dueAt: view.getBigInt64(AT.dueAt, true),
    delays: asksByOrder && most !== 0 ? { least: view.getUint16(AT.delayMin, true), most } : undefined,
  };
}

const isBalance: Held = { at: 0, bytes: Uint8Array.of(BALANCE_KIND) };

/** Balances of which something is to leave now. */
export const WITH_ATTENTION: readonly Held[] = [isBalance, { at: AT.attention, bytes: Uint8Array.of(1) }];
/** Balances of which a withdrawal waits for its release time. */
export const WAITING: readonly Held[] = [isBalance, { at: AT.attention, bytes: Uint8Array.of(2) }];
/** Balances of one token. */
export const ofMint = (mint: Uint8Array): readonly Held[] => [isBalance, { at: AT.mint, bytes: mint }];
/** Of these, the recipients' addresses begin with this byte: a way to read very many in parts. */
export const recipientsFrom = (byte: number): Held => ({ at: AT.recipient, bytes: Uint8Array.of(byte) });
