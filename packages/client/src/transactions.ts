import {
  appendTransactionMessageInstructions,
  type Base64EncodedWireTransaction,
  type Blockhash,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  pipe,
  type Signature,
  setTransactionMessageComputeUnitLimit,
  setTransactionMessageComputeUnitPrice,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type TransactionSigner,
} from '@solana/kit';

/** The blockhash that a transaction names and the last block height at which it is still accepted. */
export type Lifetime = { readonly blockhash: Blockhash; readonly lastValidBlockHeight: bigint };

/** A signed transaction, ready for `sendTransaction`. */
export type SignedTransaction = {
  /** The transaction's bytes in base 64. */
  readonly wire: Base64EncodedWireTransaction;
  /** The fee payer's signature, by which the ledger knows the transaction. */
  readonly signature: Signature;
};

/** Input of `buildTransaction`; limit in compute units, price in micro-lamports for each. */
export type TransactionInput = {
  readonly feePayer: TransactionSigner;
  readonly instructions: readonly Instruction[];
  readonly lifetime: Lifetime;
  readonly computeUnitLimit?: number;
  readonly computeUnitPrice?: bigint;
};

/**
 * Compiles and signs an ordinary transaction for either ledger with every signer that its instructions carry. Throws kit's
 * `SolanaError` if a signature is missing or the transaction is too large.
 */
export async function buildTransaction(input: TransactionInput): Promise<SignedTransaction> {
  const { feePayer, instructions, lifetime, computeUnitLimit, computeUnitPrice } = input;
  const message = pipe(
    createTransactionMessage({ version: 'legacy' }),
    (empty) => setTransactionMessageFeePayerSigner(feePayer, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (timed) =>
      computeUnitLimit === undefined ? timed : setTransactionMessageComputeUnitLimit(computeUnitLimit, timed),
    (limited) =>
      computeUnitPrice === undefined ? limited : setTransactionMessageComputeUnitPrice(computeUnitPrice, limited),
    (priced) => appendTransactionMessageInstructions(instructions, priced),
  );
  const transaction = await signTransactionMessageWithSigners(message);
  return { wire: getBase64EncodedWireTransaction(transaction), signature: getSignatureFromTransaction(transaction) };
}
