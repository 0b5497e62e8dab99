import { createHmac } from 'node:crypto';
import {
  addressFromBytes,
  addressToBytes,
  BLIND_BYTES,
  HASH_BYTES,
  type LiabilityLeaf,
  liabilityLeafHash,
  liabilityRecordHash,
  sha256Into,
} from '@payouts/client';
import type { Address } from '@solana/kit';

/** A private balance as the execution layer shows it: whose (32 bytes), and base units without withdrawals that have their numbers. */
export type LiabilityBalance = { readonly owner: Uint8Array; readonly amount: bigint };

/** A withdrawal that has its number; base units. */
export type LiabilityWithdrawal = { readonly owner: Uint8Array; readonly number: bigint; readonly amount: bigint };

/** An open window and what it has paid; base units. */
export type LiabilityWindow = { readonly schedule: Address; readonly window: bigint; readonly paid: bigint };

/**
 * What a leaf is of. `none`: a place of a page that nobody has; `free`: a place for windows and withdrawals that has none now. The leaf of
 * both is that of a balance of nobody.
 */
export const KINDS = ['none', 'balance', 'withdrawal', 'window', 'free'] as const;
export type LiabilityKind = (typeof KINDS)[number];

/** The content of a leaf without its index. `version`: the recording for which it was last changed. */
export type LiabilityEntry = {
  readonly kind: LiabilityKind;
  /** Owner or schedule, 32 bytes. */
  readonly who: Uint8Array;
  /** Amount or what the window has paid, base units. */
  readonly amount: bigint;
  /** A withdrawal's number or a window's; else 0. */
  readonly number: bigint;
  readonly version: bigint;
};

/** kind u8 ‖ who 32 ‖ amount u64 ‖ number u64 ‖ version u64 */
export const ENTRY_BYTES = 57;
const WHO_AT = 1;
const AMOUNT_AT = WHO_AT + HASH_BYTES;
const NUMBER_AT = AMOUNT_AT + 8;
const VERSION_AT = NUMBER_AT + 8;

/** Who stands in a leaf of nobody: nobody can open this owner, so nobody can redeem the leaf. */
export const NOBODY = new Uint8Array(HASH_BYTES);

/** Writes an entry to `bytes` at `offset`. */
export function writeEntry(
  bytes: Buffer,
  offset: number,
  { kind, who, amount, number, version }: LiabilityEntry,
): void {
  bytes[offset] = KINDS.indexOf(kind);
  bytes.set(who, offset + WHO_AT);
  bytes.writeBigUInt64LE(amount, offset + AMOUNT_AT);
  bytes.writeBigUInt64LE(number, offset + NUMBER_AT);
  bytes.writeBigUInt64LE(version, offset + VERSION_AT);
}

/** The entry at `offset`. */
export function readEntry(bytes: Buffer, offset: number): LiabilityEntry {
  return {
    kind: kindAt(bytes, offset),
    who: bytes.subarray(offset + WHO_AT, offset + AMOUNT_AT),
    amount: amountAt(bytes, offset),
    number: bytes.readBigUInt64LE(offset + NUMBER_AT),
    version: bytes.readBigUInt64LE(offset + VERSION_AT),
  };
}

/** What the entry at `offset` is of. */
export function kindAt(bytes: Buffer, offset: number): LiabilityKind {
  const kind = KINDS[bytes[offset] as number];
  if (kind === undefined) throw new Error('An entry of the liabilities tree is of no known kind.');
  return kind;
}

/** The amount in the entry at `offset`. */
export const amountAt = (bytes: Buffer, offset: number): bigint => bytes.readBigUInt64LE(offset + AMOUNT_AT);

/** Whether the entry at `offset` is this owner's or schedule's. */
export const isWhoAt = (bytes: Buffer, offset: number, who: Uint8Array): boolean =>
  bytes.compare(who, 0, HASH_BYTES, offset + WHO_AT, offset + AMOUNT_AT) === 0;

/** Changes the amount of the entry at `offset`. */
export function writeAmount(bytes: Buffer, offset: number, amount: bigint, version: bigint): void {
  bytes.writeBigUInt64LE(amount, offset + AMOUNT_AT);
  bytes.writeBigUInt64LE(version, offset + VERSION_AT);
}

/** The hash of the leaf of the entry at `offset`. Read by hand: tens of thousands change at once. */
export function entryHash(bytes: Buffer, offset: number, index: number, blinds: Blinds): Uint8Array {
  if (kindAt(bytes, offset) === 'window') return liabilityLeafHash(leafOf(readEntry(bytes, offset), index, blinds));
  const blind = blinds.of(index, bytes.readBigUInt64LE(offset + VERSION_AT));
  return liabilityRecordHash(index, bytes, offset + WHO_AT, blind);
}

/** The leaf of an entry, with the blind that belongs to its place and version. */
export function leafOf(
  { kind, who, amount, number, version }: LiabilityEntry,
  index: number,
  blinds: Blinds,
): LiabilityLeaf {
  const blind = blinds.of(index, version);
  if (kind === 'window') return { kind, index, schedule: addressFromBytes(who), window: number, paid: amount, blind };
  return { kind: 'balance', index, owner: Uint8Array.from(who), amount, number, blind };
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
