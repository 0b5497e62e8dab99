import {
  type BaseConnection,
  type Commitment,
  type KeptTransactions,
  outboxOver,
  sendStepsToBase,
  settleOrphans,
  type TransactionEnd,
} from '@payouts/client';
import type { Instruction, Signature } from '@solana/kit';
import type { PageBase } from '../ledgers.ts';
import { transactionSigner } from '../session/signers.ts';
import type { ConnectedWallet } from '../session/wallets.ts';
import { browserOutbox } from './browserOutbox.ts';

/** How far a sending is: the wallet asks its owner; the ledger has it and takes its time; it is taken and becomes final; done. */
export type SendStage = 'asking' | 'sending' | 'landing' | 'finality' | 'done';

/** What is sent. */
export type Sending = {
  /** Transactions in the steps in which they go: those of a step side by side. */
  readonly steps: readonly (readonly (readonly Instruction[])[])[];
  /**
   * Names what is done, in words that hold nothing private, the same when it is done again: where it was sent before a reload and has got
   * through, it is not sent again.
   */
  readonly action: string;
  /** Noted until `drop` is called with the signature: for what has to follow, such as a registration. */
  readonly about?: string;
  /** How sure the ledger is to be of it; `finalized` by default. */
  readonly commitment?: Commitment;
  readonly onStage: (stage: SendStage) => void;
};

const kept = (): KeptTransactions => browserOutbox({ storage: localStorage, locks: navigator.locks });

/** A base ledger, as transactions are sent to it for an action. */
export const sendingTo = (
  { base, time }: PageBase,
  { action, about, commitment = 'finalized', onStage }: Omit<Sending, 'steps'>,
): BaseConnection => ({
  base,
  time,
  sending: {
    commitment,
    outbox: outboxOver(kept(), { base }, action),
    onAwaiting: onStage,
    ...(about !== undefined && { about }),
  },
});

/**
 * Has a wallet sign transactions, sends them and follows them to their end; returns their signatures. One of the same action that was sent
 * before a reload and has got through is not sent again.
 *
 * @throws WalletRefused or WalletFailed where the wallet does not sign, TransactionFailed where the ledger refuses one, TransactionUnknown
 */
export async function sendWithWallet(
  ledgers: PageBase,
  wallet: ConnectedWallet,
  { steps, ...sending }: Sending,
): Promise<readonly Signature[]> {
  const { onStage, action } = sending;
  const earlier = await settleOrphans(ledgers, kept(), action, NOBODY);
  if (earlier !== undefined) {
    onStage('done');
    return [earlier.signature];
  }
  const signer = transactionSigner(wallet, ledgers.chain);
  const asking: typeof signer = {
    ...signer,
    async modifyAndSignTransactions(...given) {
      onStage('asking');
      const signed = await signer.modifyAndSignTransactions(...given);
      onStage('sending');
      return signed;
    },
  };
  const signatures = await sendStepsToBase(sendingTo(ledgers, sending), steps, asking);
  onStage('done');
  return signatures;
}

const NOBODY = { onFound: () => {}, onEnd: () => {} };

/** What became of a transaction that was under way when the page was reloaded or closed. */
export type ResumedSending = {
  readonly signature: Signature;
  readonly action: string;
  readonly about: string | undefined;
  readonly end: TransactionEnd['kind'] | 'asking';
};

/** Follows what was under way when the page was left to its end; tells of each when it is found, and how it ended. */
export async function resumeSending(ledgers: PageBase, tell: (resumed: ResumedSending) => void): Promise<void> {
  await settleOrphans(ledgers, kept(), undefined, {
    onFound: ({ signature, action, about }) => tell({ signature, action, about, end: 'asking' }),
    onEnd: ({ signature, action, about }, end) => tell({ signature, action, about, end }),
  });
}

/** Forgets a transaction that was noted: what had to follow it is done. */
export const dropSent = (signature: Signature): Promise<void> => kept().drop(signature);
