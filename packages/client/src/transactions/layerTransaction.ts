import type { Address, TransactionPartialSigner } from '@solana/kit';
import { ClientError } from '../http/clientError.ts';
import { signMessage } from './buildOwnTransaction.ts';
import type { Lifetime, SignedTransaction } from './buildTransaction.ts';
import { computeUnitLimitInstruction } from './computeBudget.ts';
import { compileLegacyMessage, type KeyedInstruction } from './legacyMessage.ts';

/** The execution layer's limit on a transaction's bytes. */
export const MAX_LAYER_TRANSACTION_BYTES = 65_536;

const SIGNATURE_BYTES = 64;

/** What a transaction of the execution layer says. */
export type LayerMessage = {
  /** The execution authority; signs and pays. */
  readonly authority: Address;
  readonly instructions: readonly KeyedInstruction[];
  readonly lifetime: Lifetime;
  /** Adds an instruction that sets this limit, in compute units; takes one key. */
  readonly computeUnitLimit?: number | undefined;
};

/** Compiles a message whose only signer is the execution authority; legacy form. Throws `TRANSACTION_TOO_LARGE`. */
export function compileLayerMessage({ authority, instructions, lifetime, computeUnitLimit }: LayerMessage): Uint8Array {
  const limit = computeUnitLimit === undefined ? [] : [computeUnitLimitInstruction(computeUnitLimit)];
  const all = [...limit, ...instructions];
  return compileLegacyMessage({
    signers: [authority],
    // The layer takes 256 keys but only low program numbers; the runtime takes the mark "writable" away from programs.
    writable: [...all.map(({ program }) => program), ...instructions.flatMap(({ writable }) => writable)],
    readonly: instructions.flatMap(({ readonly }) => readonly),
    blockhash: lifetime.blockhash,
    instructions: all,
  });
}

/** Compiles and signs what `compileLayerMessage` takes. Throws `TRANSACTION_TOO_LARGE` or `SIGNATURE_MISSING`. */
export const buildLayerTransaction = (
  signer: TransactionPartialSigner,
  message: Omit<LayerMessage, 'authority'>,
): Promise<SignedTransaction> =>
  signLayerMessage(compileLayerMessage({ ...message, authority: signer.address }), signer, message.lifetime);

/**
 * Signs a message of the execution layer that was compiled by hand and has one signer. Throws `TRANSACTION_TOO_LARGE` or
 * `SIGNATURE_MISSING`.
 */
export async function signLayerMessage(
  message: Uint8Array,
  signer: TransactionPartialSigner,
  lifetime: Lifetime,
): Promise<SignedTransaction> {
  const size = 1 + SIGNATURE_BYTES + message.length;
  if (size > MAX_LAYER_TRANSACTION_BYTES) {
    throw new ClientError('TRANSACTION_TOO_LARGE', `The transaction has ${size} bytes; 65,536 is the limit.`);
  }
  return signMessage(message, signer, lifetime);
}
