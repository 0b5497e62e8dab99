import { addressFromBytes, addressToBytes } from '@payouts/client';
import type { Address } from '@solana/kit';
import { decrypt, encrypt } from '../store/crypto/cipher.ts';

/** How far the worker has seen a withdrawal get. */
export const WITHDRAWAL_STATES = ['requested', 'issued', 'paid'] as const;
export type WithdrawalState = (typeof WITHDRAWAL_STATES)[number];

/** A withdrawal as it was seen last; amount in base units, times in unix milliseconds. Private. */
export type WithdrawalRecord = {
  readonly recipient: Address;
  readonly balance: Address;
  readonly mint: Address;
  readonly number: bigint;
  readonly amount: bigint;
  readonly wallet: Address;
  readonly state: WithdrawalState;
  readonly seenAt: number;
  readonly issuedAt: number | null;
  readonly paidAt: number | null;
};

/** recipient 32 ‖ balance 32 ‖ mint 32 ‖ wallet 32 ‖ number u64 ‖ amount u64 ‖ three times u64, 0: not yet ‖ state u8: all of one length. */
const NUMBERS_AT = 4 * 32;
const BYTES = NUMBERS_AT + 5 * 8 + 1;
const STATE_AT = BYTES - 1;

/** Encrypts a record; under another tag it can't be decrypted. */
export function sealWithdrawal(key: Uint8Array, tag: Uint8Array, record: WithdrawalRecord): Uint8Array {
  const bytes = Buffer.alloc(BYTES);
  for (const [place, address] of [record.recipient, record.balance, record.mint, record.wallet].entries()) {
    bytes.set(addressToBytes(address), place * 32);
  }
  const times = [record.seenAt, record.issuedAt ?? 0, record.paidAt ?? 0].map(BigInt);
  for (const [place, number] of [record.number, record.amount, ...times].entries()) {
    bytes.writeBigUInt64LE(number, NUMBERS_AT + place * 8);
  }
  bytes[STATE_AT] = WITHDRAWAL_STATES.indexOf(record.state);
  return encrypt(key, bytes, tag);
}

/** Decrypts a record. Throws `DecryptionFailed`. */
export function openWithdrawal(key: Uint8Array, tag: Uint8Array, sealed: Uint8Array): WithdrawalRecord {
  const bytes = Buffer.from(decrypt(key, sealed, tag));
  const address = (place: number) => addressFromBytes(bytes.subarray(place * 32, (place + 1) * 32));
  const number = (place: number) => bytes.readBigUInt64LE(NUMBERS_AT + place * 8);
  const time = (place: number) => (number(place) === 0n ? null : Number(number(place)));
  return {
    recipient: address(0),
    balance: address(1),
    mint: address(2),
    wallet: address(3),
    number: number(0),
    amount: number(1),
    seenAt: Number(number(2)),
    issuedAt: time(3),
    paidAt: time(4),
    state: WITHDRAWAL_STATES[bytes[STATE_AT] as number] as WithdrawalState,
  };
}
