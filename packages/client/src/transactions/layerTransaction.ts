import type { TransactionPartialSigner } from '@solana/kit';
import { ClientError } from '../http/clientError.ts';
import { signMessage } from './buildOwnTransaction.ts';
import type { Lifetime, SignedTransaction } from './buildTransaction.ts';

/** The execution layer's limit on a transaction's bytes. */
export const MAX_LAYER_TRANSACTION_BYTES = 65_536;

const SIGNATURE_BYTES = 64;

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
