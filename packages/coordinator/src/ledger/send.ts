import { followTransaction, type Lifetime, type SendMoment, type SignedTransaction, type Time } from '@payouts/client';
import type { Base64EncodedWireTransaction, Signature } from '@solana/kit';
import { isUnreachable, RunError } from '../domain/errors.ts';
import type { AttemptFindings } from '../store/queries/attempts.ts';
import type { KeptTransaction, TransactionRow } from '../store/queries/transactions.ts';
import type { RunStore, TransactionStore } from '../store/runStore.ts';
import type { FeeBidder } from './feeBidder.ts';
import type { Commitment, Ledger } from './ledger.ts';
import { refusedError } from './programErrors.ts';

/** A transaction that must happen once for a run: stored before it is sent, and the same transaction sent again until it lands. */
export type Delivery = {
  readonly store: Pick<RunStore, 'keepTransaction' | 'settleTransaction'>;
  readonly time: Time;
  readonly ledger: Ledger;
  readonly runId: number;
  readonly attemptId: number;
  readonly purpose: TransactionRow['purpose'];
  readonly commitment: Commitment;
  readonly signal: AbortSignal;
  /** Where it is noted that the transaction has landed; recorded when the try ends, since whoever finds it before follows it again. */
  readonly findings: Pick<AttemptFindings, 'landed'>;
  /** Told how transactions end that it has signed. */
  readonly fees?: FeeBidder;
  readonly build: (lifetime: Lifetime) => Promise<SignedTransaction>;
  /** Told how far it is; it goes on when this resolves. */
  readonly failpoint?: (moment: SendMoment) => Promise<void>;
};

/**
 * Brings a transaction onto a ledger. Its bytes and signature are kept before the first send; the same bytes are sent until the
 * ledger shows the signature or their time is over; only then something new is signed. Throws `RunError`; whether the purpose was
 * reached is for the caller to read from the ledger's state.
 */
export async function deliver(delivery: Delivery): Promise<void> {
  // Signed, and then kept only if nothing is on its way: one that was frozen may go on after another process has signed.
  const first = await sign(delivery);
  if ((await followForRun(delivery, first)) === 'landed') return;
  if (!first.isNew && (await followForRun(delivery, await sign(delivery))) === 'landed') return;
  throw new RunError('transaction-expired', `The ${delivery.purpose} did not reach the ledger in time.`);
}

function followForRun(delivery: Delivery, kept: KeptTransaction): Promise<'landed' | 'expired'> {
  const { store, findings } = delivery;
  return follow(
    {
      ...delivery,
      onEnd: async (id, outcome) => {
        if (outcome === 'landed') findings.landed.push(id);
        else await store.settleTransaction(id, outcome);
      },
    },
    kept,
  );
}

/** Where and how bytes are sent, and who keeps how they ended. */
export type Route = Pick<Delivery, 'time' | 'ledger' | 'purpose' | 'commitment' | 'signal' | 'failpoint' | 'fees'> & {
  readonly onEnd: TransactionStore['settleTransaction'];
};

async function sign({ store, time, ledger, runId, attemptId, purpose, build }: Delivery): Promise<KeptTransaction> {
  const lifetime = await ledger.lifetime();
  const { signature, wire } = await build(lifetime);
  return store.keepTransaction({
    signature,
    wire,
    last_valid_block_height: lifetime.lastValidBlockHeight.toString(),
    run_id: runId,
    attempt_id: attemptId,
    ledger: ledger.name,
    purpose,
    created_at: time.now(),
  });
}

/** Sends kept bytes and follows them to their end. Throws what the ledger refused them with. */
export async function follow(route: Route, kept: KeptTransaction): Promise<'landed' | 'expired'> {
  const { onEnd, fees, time, ledger, purpose, commitment, signal, failpoint: onMoment } = route;
  const note = async (outcome: 'landed' | 'failed' | 'expired') => {
    fees?.ended(kept.signature, outcome);
    await onEnd(kept.id, outcome);
  };
  const end = await followTransaction(
    { ledger, time, commitment, signal, isOpen: isUnreachable, onMoment },
    {
      wire: kept.wire as Base64EncodedWireTransaction,
      signature: kept.signature as Signature,
      lastValidBlockHeight: BigInt(kept.last_valid_block_height),
      isNew: kept.isNew,
    },
  );
  if (end.kind === 'failed') {
    await note('failed');
    throw refusedError(purpose, end.err);
  }
  if (end.kind === 'refused') {
    // It changed nothing, but an earlier send of the same bytes may still be on its way between the base ledger's nodes.
    if (!end.wasOut || ledger.name === 'layer') await note('failed');
    throw refusedError(purpose, end.err, end.logs);
  }
  // It is followed for as long as it takes.
  if (end.kind === 'unknown') throw new Error('The end of a transaction was not waited for.');
  await note(end.kind);
  return end.kind;
}
