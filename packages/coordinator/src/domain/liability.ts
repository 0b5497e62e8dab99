import { createCipheriv, createHmac } from 'node:crypto';
import {
  addressFromBytes,
  addressToBytes,
  BLIND_BYTES,
  HASH_BYTES,
  type LiabilityLeaf,
  liabilityLeafHash,
  liabilityRecordHashInto,
} from '@payouts/client';
import type { Address } from '@solana/kit';

/** A private balance as the execution layer shows it: whose (32 bytes), and base units without withdrawals that have their numbers. */
export type LiabilityBalance = { readonly owner: Uint8Array; readonly amount: bigint };

/** A withdrawal that has its number; base units. */
export type LiabilityWithdrawal = { readonly owner: Uint8Array; readonly number: bigint; readonly amount: bigint };

/** A withdrawal under way. `wallet` is undefined until its account has been read. */
export type Pending = LiabilityWithdrawal & { readonly wallet: Address | undefined };

/** An open window and what it has paid; base units. */
export type LiabilityWindow = { readonly schedule: Address; readonly window: bigint; readonly paid: bigint };

/**
 * What a leaf is of. `none`: a place of a page that nobody has; `free`: a place for windows and withdrawals that has none now. The leaf of
 * both is that of a balance of nobody.
 */
export const KINDS = ['none', 'balance', 'withdrawal', 'window', 'free'] as const;
export type LiabilityKind = (typeof KINDS)[number];
const BALANCE = KINDS.indexOf('balance');

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

/** Entries one after the other, and the same bytes for their numbers: of tens of thousands at once, these are read and written fastest so. */
export class Entries {
  readonly #view: DataView;

  constructor(readonly bytes: Buffer) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Writes an entry at `offset`. */
  write(offset: number, { kind, who, amount, number, version }: LiabilityEntry): void {
    this.bytes[offset] = KINDS.indexOf(kind);
    this.bytes.set(who, offset + WHO_AT);
    this.#view.setBigUint64(offset + NUMBER_AT, number, true);
    this.writeAmount(offset, amount, version);
  }

  /** Changes the amount of the entry at `offset`. */
  writeAmount(offset: number, amount: bigint, version: bigint): void {
    this.#view.setBigUint64(offset + AMOUNT_AT, amount, true);
    this.#view.setBigUint64(offset + VERSION_AT, version, true);
  }

  /** The amount in the entry at `offset`. */
  amountAt(offset: number): bigint {
    return this.#view.getBigUint64(offset + AMOUNT_AT, true);
  }

  /** Whether the entry at `offset` is a balance's. */
  isBalanceAt(offset: number): boolean {
    return this.bytes[offset] === BALANCE;
  }

  /** Whether the entry at `offset` is this owner's or schedule's. */
  isWhoAt(offset: number, who: Uint8Array): boolean {
    const at = offset + WHO_AT;
    for (let byte = 0; byte < HASH_BYTES; byte++) if (this.bytes[at + byte] !== who[byte]) return false;
    return true;
  }
}

/** The entry at `offset`. */
export function readEntry(bytes: Buffer, offset: number): LiabilityEntry {
  return {
    kind: kindAt(bytes, offset),
    who: bytes.subarray(offset + WHO_AT, offset + AMOUNT_AT),
    amount: bytes.readBigUInt64LE(offset + AMOUNT_AT),
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

/** Writes the hash of the leaf of the entry at `offset` to `target`. Read by hand: tens of thousands change at once. */
export function entryHashInto(
  bytes: Buffer,
  offset: number,
  index: number,
  blinds: Blinds,
  target: Uint8Array,
  targetAt: number,
): void {
  if (kindAt(bytes, offset) === 'window') {
    target.set(liabilityLeafHash(leafOf(readEntry(bytes, offset), index, blinds)), targetAt);
    return;
  }
  const blindAt = blinds.draw(index, bytes, offset + VERSION_AT);
  const record = { index, records: bytes, from: offset + WHO_AT, blinds: blinds.drawn, blindAt };
  liabilityRecordHashInto(record, target, targetAt);
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

/** Blinds that are drawn at once: those of a page, for leaves beside each other mostly change together. */
const DRAWN = 256;
const ZEROS = Buffer.alloc(DRAWN * BLIND_BYTES);

/**
 * The blinds of one token's leaves: derived, so that no more than the versions need be kept. AES-256 of version u64 ‖ index u64, both big endian,
 * with a key made for this from the tree's own and the mint. As AES counts in counter mode, one call draws those of many indexes.
 */
export class Blinds {
  readonly #key: Buffer;
  /** What is drawn: of which indexes from this one on, and of which version, u64 little endian. */
  #first = -1;
  readonly #version = Buffer.alloc(8);
  #drawn: Buffer = ZEROS;

  /** `key` is the secret of this token's tree that they are drawn from. */
  constructor(key: Uint8Array, mint: Address) {
    this.#key = createHmac('sha256', key).update('liability-blinds').update(addressToBytes(mint)).digest();
  }

  of(index: number, version: bigint): Uint8Array {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(version);
    const at = this.draw(index, bytes, 0);
    return Uint8Array.from(this.#drawn.subarray(at, at + BLIND_BYTES));
  }

  /** Where in `drawn` the blind of an index and of a version, u64 in `bytes`, stands until the next call. */
  draw(index: number, bytes: Uint8Array, versionAt: number): number {
    const slot = index % DRAWN;
    if (index - slot !== this.#first || !this.#isOf(bytes, versionAt)) {
      const counter = Buffer.alloc(16);
      for (let byte = 0; byte < 8; byte++) {
        this.#version[byte] = bytes[versionAt + byte] as number;
        counter[7 - byte] = bytes[versionAt + byte] as number;
      }
      counter.writeUInt32BE(index - slot, 12);
      this.#first = index - slot;
      this.#drawn = createCipheriv('aes-256-ctr', this.#key, counter).update(ZEROS);
    }
    return slot * BLIND_BYTES;
  }

  get drawn(): Uint8Array {
    return this.#drawn;
  }

  #isOf(bytes: Uint8Array, versionAt: number): boolean {
    for (let byte = 0; byte < 8; byte++) if (this.#version[byte] !== bytes[versionAt + byte]) return false;
    return true;
  }
}
