import type { MessagePartialSigner, TransactionPartialSigner } from '@solana/kit';

/** The key that a command signs with, wherever it is: transactions, and texts by which requests are signed. */
export type Signer = TransactionPartialSigner & MessagePartialSigner;
