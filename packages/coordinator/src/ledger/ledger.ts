import type { Commitment, Lifetime, SendAnswer, SignatureStatus } from '@payouts/client';
import type { Address, Base64EncodedWireTransaction, Signature } from '@solana/kit';
import { chunksOf, forEachLimited } from '../platform/concurrency.ts';

export type { Commitment, SendAnswer, SignatureStatus };

/** An account as a ledger shows it. */
export type LedgerAccount = {
  readonly address: Address;
  readonly owner: Address;
  readonly lamports: bigint;
  readonly data: Uint8Array;
};

/** Accounts read together: all of one slot, in the order asked for; null: nothing there. */
export type AccountsAtSlot = { readonly slot: bigint; readonly accounts: readonly (LedgerAccount | null)[] };

/** Bytes that an account's data holds at a place. */
export type MemcmpFilter = { readonly at: number; readonly bytes: Uint8Array };

/** What this service asks of either ledger. Every call throws `RunError` ("…-unavailable") when the ledger can't be reached. */
export interface Ledger {
  readonly name: 'base' | 'layer';
  /** At most 100 addresses. */
  accounts(addresses: readonly Address[], commitment?: Commitment): Promise<AccountsAtSlot>;
  /** The accounts of a program that hold these bytes at these places. */
  programAccounts(program: Address, holding: readonly MemcmpFilter[]): Promise<readonly LedgerAccount[]>;
  lifetime(): Promise<Lifetime>;
  blockHeight(): Promise<bigint>;
  send(wire: Base64EncodedWireTransaction): Promise<SendAnswer>;
  /** At most 256 signatures. */
  statuses(signatures: readonly Signature[]): Promise<readonly (SignatureStatus | null)[]>;
}

/** The ledger on which everything is decided. */
export interface BaseLedger extends Ledger {
  readonly name: 'base';
}

/** The ledger on which recipients are paid. */
export interface ExecutionLayer extends Ledger {
  readonly name: 'layer';
}

/** The one account at an address. */
export async function readAccount(
  ledger: Ledger,
  address: Address,
  commitment?: Commitment,
): Promise<LedgerAccount | null> {
  const { accounts } = await ledger.accounts([address], commitment);
  return accounts[0] ?? null;
}

/** Accounts in one reading, and readings at a time. */
const AT_ONCE = 100;
const READS_AT_A_TIME = 4;

/** Reads any number of accounts. */
export async function readAccounts(
  ledger: Ledger,
  addresses: readonly Address[],
  onAccount: (address: Address, account: LedgerAccount | null) => void,
): Promise<void> {
  await forEachLimited(chunksOf(addresses, AT_ONCE), READS_AT_A_TIME, async (chunk) => {
    const { accounts } = await ledger.accounts(chunk);
    for (const [place, address] of chunk.entries()) onAccount(address, accounts[place] ?? null);
  });
}
