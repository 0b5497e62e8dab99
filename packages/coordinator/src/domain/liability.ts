import { createHmac } from 'node:crypto';
import {
  addressFromBytes,
  addressToBytes,
  BLIND_BYTES,
  type LiabilityLeaf,
  liabilityLeafHash,
  liabilityRecordHash,
  sha256Into,
} from '@payouts/client';
import type { Address } from '@solana/kit';

/** What the execution layer shows of a balance, as far as it is owed; base units. Private. */
export type LiabilityBalance = {
  readonly balance: Address;
  readonly recipient: Address;
  readonly amount: bigint;
  readonly pendingNumber: bigint;
  readonly pendingAmount: bigint;
  /** Where the withdrawal goes; undefined where a leaf alone is known, which does not have it. */
  readonly pendingWallet?: Address;
};

/** An open window and what it has paid; base units. */
export type LiabilityWindow = { readonly schedule: Address; readonly window: bigint; readonly paid: bigint };

/**
 * The content of one leaf without its index. `free`: its window is over and nothing has taken its place; its leaf is that of a
 * balance of nobody. `version`: the recording for which it was last changed.
 */
export type LiabilityEntry =
  | ({ readonly kind: 'balance' } & LiabilityBalance & { readonly version: bigint })
  | ({ readonly kind: 'window' } & LiabilityWindow & { readonly version: bigint })
  | { readonly kind: 'free'; readonly version: bigint };

/** kind u8 ‖ balance or schedule 32 ‖ recipient 32 ‖ amount or paid u64 ‖ pending number or window u64 ‖ pending amount u64 ‖ version u64 */
export const ENTRY_BYTES = 97;

const KINDS = ['free', 'balance', 'window'] as const;
const NO_RECIPIENT = addressFromBytes(new Uint8Array(32));

/** Writes an entry to `bytes` at `offset`. */
export function writeEntry(bytes: Buffer, offset: number, entry: LiabilityEntry): void {
  bytes.fill(0, offset, offset + ENTRY_BYTES);
  bytes[offset] = KINDS.indexOf(entry.kind);
  if (entry.kind === 'balance') {
    bytes.set(addressToBytes(entry.balance), offset + 1);
    bytes.set(addressToBytes(entry.recipient), offset + 33);
    bytes.writeBigUInt64LE(entry.amount, offset + 65);
    bytes.writeBigUInt64LE(entry.pendingNumber, offset + 73);
    bytes.writeBigUInt64LE(entry.pendingAmount, offset + 81);
  } else if (entry.kind === 'window') {
    bytes.set(addressToBytes(entry.schedule), offset + 1);
    bytes.writeBigUInt64LE(entry.paid, offset + 65);
    bytes.writeBigUInt64LE(entry.window, offset + 73);
  }
  bytes.writeBigUInt64LE(entry.version, offset + 89);
}

/** The entry at `offset`. */
export function readEntry(bytes: Buffer, offset: number): LiabilityEntry {
  const kind = KINDS[bytes[offset] as number];
  const version = bytes.readBigUInt64LE(offset + 89);
  const address = (from: number) => addressFromBytes(bytes.subarray(offset + from, offset + from + 32));
  const number = (from: number) => bytes.readBigUInt64LE(offset + from);
  if (kind === 'balance') {
    const pending = { pendingNumber: number(73), pendingAmount: number(81) };
    return { kind, balance: address(1), recipient: address(33), amount: number(65), ...pending, version };
  }
  if (kind === 'window') return { kind, schedule: address(1), paid: number(65), window: number(73), version };
  if (kind === 'free') return { kind, version };
  throw new Error('An entry of the liabilities tree is of no known kind.');
}

/** The amount in a balance's entry at `offset`. */
export const amountAt = (bytes: Buffer, offset: number): bigint => bytes.readBigUInt64LE(offset + 65);

/** Whether a balance's entry at `offset` shows the same as the layer does. */
export function isUnchanged(bytes: Buffer, offset: number, seen: LiabilityBalance): boolean {
  return (
    bytes.readBigUInt64LE(offset + 65) === seen.amount &&
    bytes.readBigUInt64LE(offset + 73) === seen.pendingNumber &&
    bytes.readBigUInt64LE(offset + 81) === seen.pendingAmount
  );
}

/** Writes what has changed of a balance to its entry at `offset`. */
export function updateBalance(bytes: Buffer, offset: number, seen: LiabilityBalance, version: bigint): void {
  bytes.writeBigUInt64LE(seen.amount, offset + 65);
  bytes.writeBigUInt64LE(seen.pendingNumber, offset + 73);
  bytes.writeBigUInt64LE(seen.pendingAmount, offset + 81);
  bytes.writeBigUInt64LE(version, offset + 89);
}

/** Adds to the amount of a balance's entry at `offset`. */
export function addAmount(bytes: Buffer, offset: number, amount: bigint, version: bigint): void {
  bytes.writeBigUInt64LE(amountAt(bytes, offset) + amount, offset + 65);
  bytes.writeBigUInt64LE(version, offset + 89);
}

/** The hash of the leaf of the entry at `offset`. Read by hand: tens of thousands change at once. */
export function entryHash(bytes: Buffer, offset: number, index: number, blinds: Blinds): Uint8Array {
  if (KINDS[bytes[offset] as number] === 'window')
    return liabilityLeafHash(leafOf(readEntry(bytes, offset), index, blinds));
  return liabilityRecordHash(index, bytes, offset + 33, blinds.of(index, bytes.readBigUInt64LE(offset + 89)));
}

/** The leaf of an entry, with the blind that belongs to its place and version. */
export function leafOf(entry: LiabilityEntry, index: number, blinds: Blinds): LiabilityLeaf {
  const blind = blinds.of(index, entry.version);
  if (entry.kind === 'window') {
    const { schedule, window, paid } = entry;
    return { kind: 'window', index, schedule, window, paid, blind };
  }
  // Nobody can sign for the address of zeros, so nobody can redeem a free leaf.
  if (entry.kind === 'free') {
    return { kind: 'balance', index, recipient: NO_RECIPIENT, amount: 0n, pendingNumber: 0n, pendingAmount: 0n, blind };
  }
  const { recipient, amount, pendingNumber, pendingAmount } = entry;
  return { kind: 'balance', index, recipient, amount, pendingNumber, pendingAmount, blind };
}

/** Bytes of SHA-256's block and of its result. */
const BLOCK = 64;
const DIGEST = 32;
/** mint 32 ‖ index u32 ‖ version u64 */
const PLACE = 44;

/**
 * The blinds of one token's leaves: derived, so that no more than the versions need be kept. HMAC-SHA256 over mint 32 ‖ index u32 ‖
 * version u64 with a key made for this from the tree's own, its first 16 bytes. Written out by its definition, with buffers that
 * are used again: node's own makes an object for each, which costs more than the two hashes.
 */
export class Blinds {
  readonly #inner = Buffer.alloc(BLOCK + PLACE);
  readonly #outer = Buffer.alloc(BLOCK + DIGEST);
  readonly #digest = new Uint8Array(DIGEST);

  /** `key` is the secret of this token's tree that they are drawn from. */
  constructor(key: Uint8Array, mint: Address) {
    const own = createHmac('sha256', key).update('liability-blinds').digest();
    for (let place = 0; place < BLOCK; place++) {
      this.#inner[place] = (own[place] ?? 0) ^ 0x36;
      this.#outer[place] = (own[place] ?? 0) ^ 0x5c;
    }
    this.#inner.set(addressToBytes(mint), BLOCK);
  }

  of(index: number, version: bigint): Uint8Array {
    this.#inner.writeUInt32LE(index, BLOCK + 32);
    this.#inner.writeBigUInt64LE(version, BLOCK + 36);
    sha256Into(this.#inner, this.#outer, BLOCK);
    sha256Into(this.#outer, this.#digest, 0);
    return this.#digest.slice(0, BLIND_BYTES);
  }
}
