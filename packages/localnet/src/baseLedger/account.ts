import type { Address } from '@solana/kit';
import { SYSTEM_PROGRAM } from '../addresses.ts';

/** An account as the ledger holds it. A closed account has no lamports. */
export interface AccountState {
  readonly address: Address;
  readonly lamports: bigint;
  readonly owner: Address;
  readonly data: Uint8Array;
  readonly executable: boolean;
}

/** Every account here is rent exempt, which Solana shows as this rent epoch. */
export const RENT_EXEMPT_EPOCH = 18_446_744_073_709_551_615n;

/** What stands at an address nobody uses, or whose account was closed. */
export function closedAccount(address: Address): AccountState {
  return { address, lamports: 0n, owner: SYSTEM_PROGRAM, data: new Uint8Array(), executable: false };
}

/** An account in the journal and in admin answers: lamports as text, data as base64, so that plain JSON holds it. */
export interface AccountRecord {
  readonly address: string;
  readonly lamports: string;
  readonly owner: string;
  readonly data: string;
  readonly executable: boolean;
}

/** The record of an account. */
export function toRecord(account: AccountState): AccountRecord {
  return {
    address: account.address,
    lamports: account.lamports.toString(),
    owner: account.owner,
    data: Buffer.from(account.data).toString('base64'),
    executable: account.executable,
  };
}

/** The account of a record this module wrote. */
export function fromRecord(record: AccountRecord): AccountState {
  return {
    address: record.address as Address,
    lamports: BigInt(record.lamports),
    owner: record.owner as Address,
    data: Buffer.from(record.data, 'base64'),
    executable: record.executable,
  };
}
