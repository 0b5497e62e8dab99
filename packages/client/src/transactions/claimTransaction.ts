import type { Address, Instruction, TransactionPartialSigner } from '@solana/kit';
import { concatenate } from '../bytes.ts';
import { CLAIM_PAYMENT_DISCRIMINATOR, PAYOUT_LEDGER_PROGRAM_ADDRESS } from '../generated/index.ts';
import { ClientError } from '../http/clientError.ts';
import { HASH_BYTES } from '../merkle/hash.ts';
import { OWNER_RECORD_BYTES } from '../merkle/owner.ts';
import type { Lifetime, SignedTransaction } from './buildTransaction.ts';
import { compileLayerMessage, signLayerMessage } from './layerTransaction.ts';
import { type KeyedInstruction, keyed } from './legacyMessage.ts';

/** Claims that one transaction can hold: 58 bytes each of 65,536. */
export const MAX_CLAIMS_PER_TRANSACTION = 1_020;
/** Pages, and read permissions of those that it makes, that one transaction can name: it may lock 128 accounts, and 16 can be others. */
export const MAX_PAGES_PER_TRANSACTION = 112;

const ENTRY_BYTES = OWNER_RECORD_BYTES + 8 + 2;

/** Where a private balance is. */
export type BalancePlace = { readonly page: Address; readonly slot: number };

/** A leaf to be claimed: its `ownerRecord`, its amount in base units, and where the balance is. */
export type Claim = BalancePlace & {
  readonly index: number;
  /** Owner 32 ‖ blind 16. */
  readonly owner: Uint8Array;
  readonly amount: bigint;
};

/** Input of `buildClaimTransaction`. */
export type ClaimTransactionInput = {
  /** The execution authority; signs and pays. */
  readonly authority: TransactionPartialSigner;
  readonly config: Address;
  readonly batch: Address;
  /** The page of the window's bitmap in which the leaves' bits stand. */
  readonly bitmap: Address;
  /** Leaves in order of index, without a gap, of one page of the bitmap. */
  readonly claims: readonly Claim[];
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

/** The pages that claims name, each once, in the order in which they come. */
export function pagesOf(claims: readonly Pick<Claim, 'page'>[]): Address[] {
  return [...new Set(claims.map(({ page }) => page))];
}

/** The data of `claim_payment`. Throws `INVALID_RANGE` if the claims are not contiguous, or touch too many pages. */
export function claimData(claims: readonly Claim[], proof: readonly Uint8Array[]): Uint8Array {
  const start = claims[0]?.index;
  if (start === undefined) throw new ClientError('INVALID_RANGE', 'A claim needs at least one leaf.');
  const pages = new Map(pagesOf(claims).map((page, place) => [page, place]));
  if (pages.size > MAX_PAGES_PER_TRANSACTION) {
    throw new ClientError('INVALID_RANGE', `A claim names at most ${MAX_PAGES_PER_TRANSACTION} pages.`);
  }
  const data = new Uint8Array(9 + claims.length * ENTRY_BYTES + proof.length * HASH_BYTES);
  const view = new DataView(data.buffer);
  view.setUint8(0, CLAIM_PAYMENT_DISCRIMINATOR);
  view.setUint32(1, start, true);
  view.setUint16(5, claims.length, true);
  let offset = 7;
  for (const [place, { index, owner, amount, page, slot }] of claims.entries()) {
    if (index !== start + place) throw new ClientError('INVALID_RANGE', 'The claimed leaves are not contiguous.');
    if (owner.length !== OWNER_RECORD_BYTES) {
      throw new ClientError('INVALID_LEAF', `An owner and its blind have ${OWNER_RECORD_BYTES} bytes.`);
    }
    data.set(owner.subarray(0, HASH_BYTES), offset);
    view.setBigUint64(offset + HASH_BYTES, amount, true);
    data.set(owner.subarray(HASH_BYTES), offset + HASH_BYTES + 8);
    view.setUint8(offset + ENTRY_BYTES - 2, pages.get(page) as number);
    view.setUint8(offset + ENTRY_BYTES - 1, slot);
    offset += ENTRY_BYTES;
  }
  view.setUint16(offset, proof.length, true);
  data.set(concatenate(proof), offset + 2);
  return data;
}

/** The message of a claim, for whoever signs it elsewhere; legacy form. Throws `TRANSACTION_TOO_LARGE`, `INVALID_RANGE`. */
export function compileClaimMessage(
  input: Omit<ClaimTransactionInput, 'authority'> & { authority: { address: Address } },
): Uint8Array {
  const { config, batch, bitmap, claims, preceding = [], following = [], lifetime, computeUnitLimit } = input;
  const authority = input.authority.address;
  const pages = pagesOf(claims);
  const claim: KeyedInstruction = {
    program: input.programAddress ?? PAYOUT_LEDGER_PROGRAM_ADDRESS,
    accounts: [authority, config, batch, bitmap, ...pages],
    data: claimData(claims, input.proof),
    writable: [batch, bitmap, ...pages],
    readonly: [config],
  };
  const instructions = [...preceding, claim, ...following.map(keyed)];
  return compileLayerMessage({ authority, instructions, lifetime, computeUnitLimit });
}

/**
 * Builds and signs the payment of a contiguous range of leaves, for the execution layer. Up to 1,020 claims on 112 pages. Throws
 * `TRANSACTION_TOO_LARGE`, `INVALID_RANGE`, `INVALID_LEAF`, `INVALID_ADDRESS` or `SIGNATURE_MISSING`.
 */
export async function buildClaimTransaction(input: ClaimTransactionInput): Promise<SignedTransaction> {
  return signLayerMessage(compileClaimMessage(input), input.authority, input.lifetime);
}
