import { addressFromBytes, addressToBytes } from '@payouts/client';
import { type Address, getBase58Decoder, getBase58Encoder, type Signature } from '@solana/kit';
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

/** `asked`: it is being made; whether it was made, nobody has noted: the execution layer knows it of what was sent. */
const TRANSFER_STATES = ['asked', 'refused', 'made'] as const;

/** One side of a private transfer; amount in base units, times in unix milliseconds. Private. */
export type TransferRecord = {
  /** Whose side it is: the payer, or of the payee the code's owner, which names nobody. */
  readonly recipient: Address;
  /** 32 bytes, in receipts as well: who has paid, for whoever knows what they were made with. */
  readonly payer: Address;
  readonly mint: Address;
  /** Among the payer's balance's own; 0 on the payee's side. */
  readonly id: bigint;
  readonly amount: bigint;
  /** Owner of the code's balance. */
  readonly code: Address;
  readonly state: (typeof TRANSFER_STATES)[number];
  readonly seenAt: number;
  /** Of the transaction that was sent last to make it, and when. */
  readonly signature: Signature;
  readonly sentAt: number;
};

/** What is kept of a recipient's money: nothing tells withdrawals from private transfers but who can decrypt them. */
export type KeptRecord = WithdrawalRecord | TransferRecord;

const STATES: readonly KeptRecord['state'][] = [...WITHDRAWAL_STATES, ...TRANSFER_STATES];

/** How far a withdrawal has got, from 0. */
export const rankOf = (state: KeptRecord['state']): number => (WITHDRAWAL_STATES as readonly string[]).indexOf(state);

export const isTransfer = (record: KeptRecord): record is TransferRecord => 'code' in record;
/** Whether what is kept in a place is one side of a private transfer. */
export const isKeptTransfer = <In extends { readonly record: KeptRecord }>(
  kept: In,
): kept is In & { readonly record: TransferRecord } => isTransfer(kept.record);
export const isWithdrawal = (record: KeptRecord): record is WithdrawalRecord => !isTransfer(record);

/** Four times 32 bytes ‖ five times u64, 0: none ‖ a signature of 64 bytes, 0 of a withdrawal ‖ state u8: all of one length. */
const NUMBERS_AT = 4 * 32;
const SIGNATURE_AT = NUMBERS_AT + 5 * 8;
const STATE_AT = SIGNATURE_AT + 64;
const BYTES = STATE_AT + 1;

/** Encrypts a record; under another tag it can't be decrypted. */
export function sealRecord(key: Uint8Array, tag: Uint8Array, record: KeptRecord): Uint8Array {
  const bytes = Buffer.alloc(BYTES);
  const { addresses, numbers } = isTransfer(record) ? ofTransfer(record) : ofWithdrawal(record);
  for (const [place, address] of addresses.entries()) bytes.set(addressToBytes(address), place * 32);
  for (const [place, number] of numbers.entries()) bytes.writeBigUInt64LE(BigInt(number), NUMBERS_AT + place * 8);
  if (isTransfer(record)) bytes.set(getBase58Encoder().encode(record.signature), SIGNATURE_AT);
  bytes[STATE_AT] = STATES.indexOf(record.state);
  return encrypt(key, bytes, tag);
}

const ofWithdrawal = (record: WithdrawalRecord) => ({
  addresses: [record.recipient, record.balance, record.mint, record.wallet],
  numbers: [record.number, record.amount, record.seenAt, record.issuedAt ?? 0, record.paidAt ?? 0],
});

const ofTransfer = (record: TransferRecord) => ({
  addresses: [record.recipient, record.payer, record.mint, record.code],
  numbers: [record.id, record.amount, record.seenAt, 0, record.sentAt],
});

/** Decrypts a record. Throws `DecryptionFailed`. */
export function openRecord(key: Uint8Array, tag: Uint8Array, sealed: Uint8Array): KeptRecord {
  const bytes = Buffer.from(decrypt(key, sealed, tag));
  const address = (place: number) => addressFromBytes(bytes.subarray(place * 32, (place + 1) * 32));
  const number = (place: number) => bytes.readBigUInt64LE(NUMBERS_AT + place * 8);
  const time = (place: number) => (number(place) === 0n ? null : Number(number(place)));
  const state = STATES[bytes[STATE_AT] as number] as KeptRecord['state'];
  const shared = { recipient: address(0), mint: address(2), amount: number(1), seenAt: Number(number(2)) };
  if (!isOf(WITHDRAWAL_STATES, state)) {
    const signature = getBase58Decoder().decode(bytes.subarray(SIGNATURE_AT, STATE_AT)) as Signature;
    const sent = { signature, sentAt: Number(number(4)) };
    return { ...shared, ...sent, payer: address(1), code: address(3), id: number(0), state };
  }
  const balance = { balance: address(1), wallet: address(3), number: number(0) };
  return { ...shared, ...balance, state, issuedAt: time(3), paidAt: time(4) };
}

const isOf = <T extends string>(states: readonly T[], state: string): state is T =>
  (states as readonly string[]).includes(state);
