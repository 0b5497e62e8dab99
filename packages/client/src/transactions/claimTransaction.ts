import type { Address, Instruction, TransactionPartialSigner } from '@solana/kit';
import { concatenate } from '../bytes.ts';
import { CLAIM_PAYMENT_DISCRIMINATOR, PAYOUT_LEDGER_PROGRAM_ADDRESS } from '../generated/index.ts';
import { ClientError } from '../http/clientError.ts';
import { LEAF_TERMS_BYTES } from '../merkle/tree.ts';
import type { Lifetime, SignedTransaction } from './buildTransaction.ts';
import { compileLayerMessage, signLayerMessage } from './layerTransaction.ts';
import { type KeyedInstruction, keyed } from './legacyMessage.ts';

/** Claims that one transaction can hold: 58 bytes each of 65,536. */
export const MAX_CLAIMS_PER_TRANSACTION = 1_020;
/** Pages, and read permissions of those that it makes, that one transaction can name: it may lock 128 accounts, and 16 can be others. */
export const MAX_PAGES_PER_TRANSACTION = 112;

const ENTRY_BYTES = LEAF_TERMS_BYTES + 2;

/** Where a private balance is. */
export type BalancePlace = { readonly page: Address; readonly slot: number };

/** Leaves to be claimed, as a transaction names them. */
export type ClaimedLeaves = {
  /** Index of the first; the others follow without a gap. */
  readonly start: number;
  /** Of each its terms, see `LEAF_TERMS_BYTES` ‖ the place of its balance's page in `pages` u8 ‖ the slot there u8. */
  readonly entries: Uint8Array;
  /** The pages that they name, each once. */
  readonly pages: readonly Address[];
};

/**
 * Leaves as they are claimed. `terms`: of those from index `start` on, one after the other. `placeOf`: where a leaf's balance is, by its index. Throws
 * `INVALID_RANGE` for no leaf or too many pages.
 */
export function claimedLeaves(
  start: number,
  terms: Uint8Array,
  placeOf: (index: number) => BalancePlace,
): ClaimedLeaves {
  const count = terms.length / LEAF_TERMS_BYTES;
  if (count === 0) throw new ClientError('INVALID_RANGE', 'A claim needs at least one leaf.');
  const entries = new Uint8Array(count * ENTRY_BYTES);
  const pages = new Map<Address, number>();
  for (let leaf = 0; leaf < count; leaf++) {
    const [from, to] = [leaf * LEAF_TERMS_BYTES, leaf * ENTRY_BYTES];
    for (let byte = 0; byte < LEAF_TERMS_BYTES; byte++) entries[to + byte] = terms[from + byte] as number;
    const { page, slot } = placeOf(start + leaf);
    const place = pages.get(page) ?? pages.size;
    pages.set(page, place);
    entries[to + LEAF_TERMS_BYTES] = place;
    entries[to + LEAF_TERMS_BYTES + 1] = slot;
  }
  if (pages.size > MAX_PAGES_PER_TRANSACTION) {
    throw new ClientError('INVALID_RANGE', `A claim names at most ${MAX_PAGES_PER_TRANSACTION} pages.`);
  }
  return { start, entries, pages: [...pages.keys()] };
}

/** Input of `buildClaimTransaction`. */
export type ClaimTransactionInput = {
  /** The execution authority; signs and pays. */
  readonly authority: TransactionPartialSigner;
  readonly config: Address;
  readonly batch: Address;
  /** The page of the window's bitmap in which the leaves' bits stand. */
  readonly bitmap: Address;
  /** Of one page of the bitmap. */
  readonly leaves: ClaimedLeaves;
  /** The range's proof, from `MerkleTree.rangeProof`. */
  readonly proof: readonly Uint8Array[];
  /** What the claim needs made before it in the transaction, such as its pages. The authority is its only signer. */
  readonly preceding?: readonly KeyedInstruction[];
  /** What follows the claim in the transaction, such as the window's commit. The authority is its only signer. */
  readonly following?: readonly Instruction[];
  readonly lifetime: Lifetime;
  readonly programAddress?: Address;
  /** Adds an instruction that sets this limit, in compute units; takes one key. */
  readonly computeUnitLimit?: number;
};

/** The data of `claim_payment`. */
export function claimData({ start, entries }: ClaimedLeaves, proof: readonly Uint8Array[]): Uint8Array {
  const head = new DataView(new ArrayBuffer(7));
  head.setUint8(0, CLAIM_PAYMENT_DISCRIMINATOR);
  head.setUint32(1, start, true);
  head.setUint16(5, entries.length / ENTRY_BYTES, true);
  const hashes = new Uint8Array(Uint16Array.of(proof.length).buffer);
  return concatenate([new Uint8Array(head.buffer), entries, hashes, ...proof]);
}

/** The message of a claim, for whoever signs it elsewhere; legacy form. Throws `TRANSACTION_TOO_LARGE`. */
export function compileClaimMessage(
  input: Omit<ClaimTransactionInput, 'authority'> & { authority: { address: Address } },
): Uint8Array {
  const { config, batch, bitmap, leaves, preceding = [], following = [], lifetime, computeUnitLimit } = input;
  const authority = input.authority.address;
  const { pages } = leaves;
  const claim: KeyedInstruction = {
    program: input.programAddress ?? PAYOUT_LEDGER_PROGRAM_ADDRESS,
    accounts: [authority, config, batch, bitmap, ...pages],
    data: claimData(leaves, input.proof),
    writable: [batch, bitmap, ...pages],
    readonly: [config],
  };
  const instructions = [...preceding, claim, ...following.map(keyed)];
  return compileLayerMessage({ authority, instructions, lifetime, computeUnitLimit });
}

/**
 * Builds and signs the payment of a contiguous range of leaves, for the execution layer. Up to 1,020 claims on 112 pages. Throws
 * `TRANSACTION_TOO_LARGE`, `INVALID_ADDRESS` or `SIGNATURE_MISSING`.
 */
export async function buildClaimTransaction(input: ClaimTransactionInput): Promise<SignedTransaction> {
  return signLayerMessage(compileClaimMessage(input), input.authority, input.lifetime);
}
