import type { Instruction, Signature, TransactionSigner } from '@solana/kit';
import type { FeePolicy } from './feeBid.ts';
import type { Commitment, SignedBytes } from './follow.ts';

/**
 * A transaction of which nobody has said yet how it ended; `isWhole`: nothing else was sent with it; `about`: what its sender said that it
 * is about.
 */
export type KeptBytes = Omit<SignedBytes, 'isNew'> & {
  readonly signer: TransactionSigner['address'];
  readonly isWhole: boolean;
  readonly about: string | undefined;
};

/** Keeps transactions from before they are sent until their end is known: whoever comes after a crash asks about them first. */
export interface Outbox {
  keep(bytes: KeptBytes): Promise<void>;
  drop(signature: Signature): Promise<void>;
}

/** How transactions are sent to the base ledger. */
export type SendingOptions = {
  /** What may be paid for their place; without, `DEFAULT_FEES`. */
  readonly fees?: FeePolicy;
  /** How sure the ledger is to be of them; without, `finalized`. */
  readonly commitment?: Commitment;
  readonly outbox?: Outbox;
  /** What is noted in the outbox; whoever notes something drops what landed from it, once what follows is done. */
  readonly about?: string;
  /** Told what is waited for when it takes a moment: that the ledger takes a transaction, or that it is final. */
  readonly onAwaiting?: (what: 'landing' | 'finality', signature: Signature) => void;
  /**
   * Takes what would be sent, where whoever signs is not one key: proposes it to those who decide together, and throws what they are told.
   * Steps, the transactions of each, and their instructions; `about` as above.
   */
  readonly instead?: (
    steps: readonly (readonly (readonly Instruction[])[])[],
    about: string | undefined,
  ) => Promise<never>;
};

/** The commitment by which accounts are read: what one command has waited for, the next one is to see. */
export const levelOf = ({
  sending,
}: {
  readonly sending?: SendingOptions | undefined;
}): { readonly commitment: Commitment } => ({ commitment: sending?.commitment ?? 'finalized' });
