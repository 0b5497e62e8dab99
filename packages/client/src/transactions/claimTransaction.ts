import type { Address, TransactionPartialSigner } from '@solana/kit';
import { addressToBytes } from '../accounts/base58.ts';
import { EPHEMERAL_VAULT_ADDRESS, MAGIC_PROGRAM_ADDRESS } from '../accounts/programs.ts';
import { CLAIM_PAYMENT_DISCRIMINATOR, PAYOUT_LEDGER_PROGRAM_ADDRESS } from '../generated/index.ts';
import { ClientError } from '../http/clientError.ts';
import { HASH_BYTES } from '../merkle/hash.ts';
import { deliveryCode, type Leaf, SALT_BYTES } from '../merkle/tree.ts';
import type { Lifetime, SignedTransaction } from './buildTransaction.ts';
import { computeUnitLimitInstruction } from './computeBudget.ts';
import { signLayerMessage } from './layerTransaction.ts';
import { compileLegacyMessage, concatenate, type RawInstruction } from './legacyMessage.ts';

/** Claims that one transaction can hold: 256 keys, of which six are not balances. */
export const MAX_CLAIMS_PER_TRANSACTION = 250;

const ENTRY_BYTES = 58;

/** A leaf to be claimed, with its recipient's balance. */
export type Claim = Leaf & { readonly balance: Address; readonly bump: number };

/** Input of `buildClaimTransaction`. */
export type ClaimTransactionInput = {
  /** The execution authority; signs and pays. */
  readonly authority: TransactionPartialSigner;
  readonly config: Address;
  readonly batch: Address;
  /** Leaves in order of index, without a gap. */
  readonly claims: readonly Claim[];
  /** The range's proof, from `MerkleTree.rangeProof`. */
  readonly proof: readonly Uint8Array[];
  readonly lifetime: Lifetime;
  readonly programAddress?: Address;
  /** Adds an instruction that sets this limit, in compute units; takes one key. */
  readonly computeUnitLimit?: number;
};

/** The data of `claim_payment`. Throws `INVALID_RANGE` if the claims are not contiguous. */
export function claimData(claims: readonly Claim[], proof: readonly Uint8Array[]): Uint8Array {
  const start = claims[0]?.index;
  if (start === undefined) throw new ClientError('INVALID_RANGE', 'A claim needs at least one leaf.');
  const data = new Uint8Array(9 + claims.length * ENTRY_BYTES + proof.length * HASH_BYTES);
  const view = new DataView(data.buffer);
  view.setUint8(0, CLAIM_PAYMENT_DISCRIMINATOR);
  view.setUint32(1, start, true);
  view.setUint16(5, claims.length, true);
  let offset = 7;
  for (const [place, claim] of claims.entries()) {
    if (claim.index !== start + place) throw new ClientError('INVALID_RANGE', 'The claimed leaves are not contiguous.');
    if (claim.salt.length !== SALT_BYTES) throw new ClientError('INVALID_LEAF', `A salt has ${SALT_BYTES} bytes.`);
    data.set(addressToBytes(claim.recipient), offset);
    view.setBigUint64(offset + 32, claim.amount, true);
    view.setUint8(offset + 40, deliveryCode(claim.delivery));
    data.set(claim.salt, offset + 41);
    view.setUint8(offset + 57, claim.bump);
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
  const { config, batch, claims, computeUnitLimit } = input;
  const authority = input.authority.address;
  const balances = claims.map(({ balance }) => balance);
  const claim: RawInstruction = {
    program: input.programAddress ?? PAYOUT_LEDGER_PROGRAM_ADDRESS,
    accounts: [authority, config, batch, MAGIC_PROGRAM_ADDRESS, EPHEMERAL_VAULT_ADDRESS, ...balances],
    data: claimData(claims, input.proof),
  };
  const instructions =
    computeUnitLimit === undefined ? [claim] : [computeUnitLimitInstruction(computeUnitLimit), claim];
  return compileLegacyMessage({
    signers: [authority],
    // The layer takes 256 keys but only low program numbers; the runtime takes the mark "writable" away from programs.
    writable: [...instructions.map(({ program }) => program), batch, EPHEMERAL_VAULT_ADDRESS, ...balances],
    readonly: [config, MAGIC_PROGRAM_ADDRESS],
    blockhash: input.lifetime.blockhash,
    instructions,
  });
}

/**
 * Builds and signs the payment of a contiguous range of leaves, for the execution layer. Up to 250 claims, one fewer with a compute
 * unit limit; recipients who stand in the range twice take one key. Throws `TRANSACTION_TOO_LARGE`, `INVALID_RANGE`,
 * `INVALID_LEAF`, `INVALID_ADDRESS` or `SIGNATURE_MISSING`.
 */
export async function buildClaimTransaction(input: ClaimTransactionInput): Promise<SignedTransaction> {
  return signLayerMessage(compileClaimMessage(input), input.authority, input.lifetime);
}
