import {
  type Base64EncodedWireTransaction,
  getBase58Decoder,
  type Signature,
  type Transaction,
  type TransactionMessageBytes,
  type TransactionPartialSigner,
  type TransactionWithinSizeLimit,
  type TransactionWithLifetime,
} from '@solana/kit';
import { concatenate } from '../bytes.ts';
import { toBase64 } from '../http/base64.ts';
import { ClientError } from '../http/clientError.ts';
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
  const { address } = signer;
  const unsigned = {
    messageBytes: message as Uint8Array as unknown as TransactionMessageBytes,
    signatures: { [address]: null },
    lifetimeConstraint: lifetime,
  } as unknown as Transaction & TransactionWithinSizeLimit & TransactionWithLifetime;
  const [signatures] = await signer.signTransactions([unsigned]);
  const signature = signatures?.[address];
  if (signature === undefined) throw new ClientError('SIGNATURE_MISSING', 'The authority did not sign.');
  const wire = toBase64(concatenate([[1], signature, message]));
  return {
    wire: wire as Base64EncodedWireTransaction,
    signature: getBase58Decoder().decode(signature) as Signature,
  };
}
