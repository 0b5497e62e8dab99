import type { Address } from '@solana/kit';
import { addressToBytes } from '../accounts/base58.ts';
import { isSameBytes } from '../bytes.ts';
import { ClientError } from '../http/clientError.ts';
import { HASH_BYTES, sha256, sha256Into } from './hash.ts';
import { MAX_U64 } from './limits.ts';
import { nodeHash } from './tree.ts';

/** Size of a liability leaf's blind in bytes. */
export const BLIND_BYTES = 16;

/** What a token's pool owes to a private balance, or to a withdrawal of one that has its number, in base units. */
export type LiabilityBalanceLeaf = {
  readonly kind: 'balance';
  readonly index: number;
  /** Whose it is, 32 bytes: see `ownerRecord`. */
  readonly owner: Uint8Array;
  readonly amount: bigint;
  /** The withdrawal's; 0: it is a balance. */
  readonly number: bigint;
  /** Secret; whoever has it and the hash can try amounts. */
  readonly blind: Uint8Array;
};

/** What an open window has paid when the tree was made, in base units; the rest of its amount is the employer's. */
export type LiabilityWindowLeaf = {
  readonly kind: 'window';
  readonly index: number;
  readonly schedule: Address;
  readonly window: bigint;
  readonly paid: bigint;
  readonly blind: Uint8Array;
};

export type LiabilityLeaf = LiabilityBalanceLeaf | LiabilityWindowLeaf;

/** A leaf without its index and blind: an owner or an address, and two numbers of 64 bits. */
export const LIABILITY_RECORD_BYTES = HASH_BYTES + 2 * 8;
const LEAF_BYTES = 1 + 4 + LIABILITY_RECORD_BYTES + BLIND_BYTES;
const MAX_U32 = 0xffff_ffff;

const balanceInput = new Uint8Array(LEAF_BYTES);
const balanceView = new DataView(balanceInput.buffer);
const windowInput = new Uint8Array(LEAF_BYTES);
balanceInput[0] = 4;
windowInput[0] = 5;

function write(input: Uint8Array, index: number, whose: Uint8Array, numbers: readonly bigint[], blind: Uint8Array) {
  if (!Number.isInteger(index) || index < 0 || index > MAX_U32) {
    throw new ClientError('INVALID_LEAF', "A liability leaf's index must fit 32 bits.");
  }
  if (blind.length !== BLIND_BYTES) throw new ClientError('INVALID_LEAF', `A blind has ${BLIND_BYTES} bytes.`);
  const view = new DataView(input.buffer);
  view.setUint32(1, index, true);
  if (whose.length !== HASH_BYTES) throw new ClientError('INVALID_LEAF', `An owner has ${HASH_BYTES} bytes.`);
  input.set(whose, 5);
  let offset = 5 + HASH_BYTES;
  for (const number of numbers) {
    if (number < 0n || number > MAX_U64) {
      throw new ClientError('INVALID_LEAF', "A liability leaf's numbers must fit 64 bits.");
    }
    view.setBigUint64(offset, number, true);
    offset += 8;
  }
  input.set(blind, offset);
}

/**
 * H(0x04 ‖ index u32 ‖ owner 32 ‖ amount u64 ‖ number u64 ‖ blind 16) for a balance or a withdrawal,
 * H(0x05 ‖ index u32 ‖ schedule 32 ‖ window u64 ‖ paid u64 ‖ blind 16) for an open window. Throws `INVALID_LEAF` or `INVALID_ADDRESS`.
 */
export function liabilityLeafHash(leaf: LiabilityLeaf): Uint8Array {
  if (leaf.kind === 'balance') {
    write(balanceInput, leaf.index, leaf.owner, [leaf.amount, leaf.number], leaf.blind);
    return sha256(balanceInput);
  }
  write(windowInput, leaf.index, addressToBytes(leaf.schedule), [leaf.window, leaf.paid], leaf.blind);
  return sha256(windowInput);
}

/** A balance's leaf whose owner 32 ‖ amount u64 ‖ number u64 stand in `records` at `from`, and its blind in `blinds` at `blindAt`. */
export type LiabilityRecord = {
  readonly index: number;
  readonly records: Uint8Array;
  readonly from: number;
  readonly blinds: Uint8Array;
  readonly blindAt: number;
};

/** Writes the same hash of a balance to `target` at `offset`; for many leaves. */
export function liabilityRecordHashInto(
  { index, records, from, blinds, blindAt }: LiabilityRecord,
  target: Uint8Array,
  offset: number,
): void {
  balanceView.setUint32(1, index, true);
  for (let byte = 0; byte < LIABILITY_RECORD_BYTES; byte++) balanceInput[5 + byte] = records[from + byte] as number;
  const blindIn = 5 + LIABILITY_RECORD_BYTES;
  for (let byte = 0; byte < BLIND_BYTES; byte++) balanceInput[blindIn + byte] = blinds[blindAt + byte] as number;
  sha256Into(balanceInput, target, offset);
}

/**
 * Whether a leaf stands in the liabilities tree whose root and number of leaves the pool has recorded. A recipient who checks their own
 * leaf knows that the last recording divides the pool with exactly this as their part.
 */
export function verifyLiabilityInclusion(input: {
  readonly pool: { readonly liabilitiesRoot: ArrayLike<number>; readonly liabilityLeaves: number };
  readonly leaf: LiabilityLeaf;
  readonly proof: readonly Uint8Array[];
}): boolean {
  const { pool, leaf, proof } = input;
  if (leaf.index >= pool.liabilityLeaves || proof.some((hash) => hash.length !== HASH_BYTES)) return false;
  let hash = liabilityLeafHash(leaf);
  let place = leaf.index;
  const remaining = proof.values();
  for (let size = pool.liabilityLeaves; size > 1; size = Math.ceil(size / 2)) {
    const isLeft = place % 2 === 0;
    if (!isLeft || place + 1 < size) {
      const sibling = remaining.next();
      if (sibling.done) return false;
      hash = isLeft ? nodeHash(hash, sibling.value) : nodeHash(sibling.value, hash);
    }
    place = Math.floor(place / 2);
  }
  return remaining.next().done === true && isSameBytes(hash, Uint8Array.from(pool.liabilitiesRoot));
}
