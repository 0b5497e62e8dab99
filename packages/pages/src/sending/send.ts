import {
  type BaseConnection,
  type Commitment,
  type KeptTransactions,
  outboxOver,
  sendStepsToBase,
  settleOrphans,
  type TransactionEnd,
} from '@payouts/client';
import {
  type Instruction,
  isSignerRole,
  type Signature,
  type TransactionModifyingSigner,
  type TransactionSigner,
} from '@solana/kit';
import type { PageBase } from '../ledgers.ts';
import type { Chain } from '../session/chain.ts';
import { transactionSigner } from '../session/signers.ts';
import type { ConnectedWallet } from '../session/wallets.ts';
import { browserOutbox } from './browserOutbox.ts';

/** How far a sending is: the wallet asks its owner; the ledger has it and takes its time; it is taken and becomes final; done. */
export type SendStage = 'asking' | 'sending' | 'landing' | 'finality' | 'done';

/** What is sent. */
export type Sending = {
  /** Transactions in the steps in which they go: those of a step side by side. */
  readonly steps: readonly (readonly (readonly Instruction[])[])[];
  /** Wallets that sign beside the one that pays the fee. */
  readonly others?: readonly ConnectedWallet[];
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
  { action, about, commitment = 'finalized', onStage }: Omit<Sending, 'steps' | 'others'>,
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
  { steps, others = [], ...sending }: Sending,
): Promise<readonly Signature[]> {
  const { onStage, action } = sending;
  const earlier = await settleOrphans(ledgers, kept(), action, NOBODY);
  if (earlier !== undefined) {
    onStage('done');
    return [earlier.signature];
  }
  const signers = [wallet, ...others].map((each) => askingSigner(each, ledgers.chain, onStage));
  const signed = steps.map((step) => step.map((instructions) => instructions.map((each) => signedBy(each, signers))));
  const signatures = await sendStepsToBase(sendingTo(ledgers, sending), signed, signers[0] as TransactionSigner);
  onStage('done');
  return signatures;
}

/** A wallet as a signer that says when its owner is asked. */
function askingSigner(wallet: ConnectedWallet, chain: Chain, onStage: Sending['onStage']): TransactionModifyingSigner {
  const signer = transactionSigner(wallet, chain);
  return {
    ...signer,
    async modifyAndSignTransactions(...given) {
      onStage('asking');
      const signed = await signer.modifyAndSignTransactions(...given);
      onStage('sending');
      return signed;
    },
  };
}

/** An instruction whose signers are these, wherever it names their addresses: each address has one signer in a transaction. */
function signedBy(instruction: Instruction, signers: readonly TransactionSigner[]): Instruction {
  const accounts = instruction.accounts?.map((account) => {
    const signer = signers.find(({ address }) => address === account.address && isSignerRole(account.role));
    return signer === undefined ? account : { ...account, signer };
  });
  return { ...instruction, ...(accounts !== undefined && { accounts }) };
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
