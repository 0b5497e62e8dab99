import type { Lifetime, SignedTransaction, Time } from '@payouts/client';
import type { Base64EncodedWireTransaction, Signature } from '@solana/kit';
import { RunError, unlessUnreachable } from '../domain/errors.ts';
import type { AttemptFindings } from '../store/queries/attempts.ts';
import type { KeptTransaction, TransactionRow } from '../store/queries/transactions.ts';
import type { RunStore, TransactionStore } from '../store/runStore.ts';
import type { Commitment, Ledger, SignatureStatus } from './ledger.ts';
import { refusedError } from './programErrors.ts';

/** Milliseconds before the second look at a signature, how much longer each further wait is, and the longest. */
const LOOK_MS = 6;
const LOOK_GROWTH = 2;
const LONGEST_LOOK_MS = 400;
/** Milliseconds between two sends of the same bytes. */
const RESEND_MS = 2_000;
/** Blocks beyond a transaction's last valid one before it counts as gone: other nodes may lag behind the one asked. */
const EXPIRY_MARGIN = 5n;

/** Kept and not sent; a send was answered; the ledger shows it, which is not recorded yet. */
export type SendMoment = 'before-send' | 'after-send' | 'after-landing';

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
export type Route = Pick<Delivery, 'time' | 'ledger' | 'purpose' | 'commitment' | 'signal' | 'failpoint'> & {
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
  const { onEnd, time, ledger, purpose, commitment, signal, failpoint } = route;
  const signature = kept.signature as Signature;
  let sentAt = Number.NEGATIVE_INFINITY;
  let mayBeOut = !kept.isNew;
  let lookAfter = LOOK_MS;
  for (;;) {
    const [status] = mayBeOut ? await ledger.statuses([signature]) : [];
    if (status) {
      if (status.err !== null) {
        await onEnd(kept.id, 'failed');
        throw refusedError(purpose, status.err);
      }
      // What the execution layer has executed stands there; it knows no commitments.
      if (ledger.name === 'layer' || isReached(status, commitment)) {
        await failpoint?.('after-landing');
        await onEnd(kept.id, 'landed');
        return 'landed';
      }
    } else if (mayBeOut && (await ledger.blockHeight()) > BigInt(kept.last_valid_block_height) + EXPIRY_MARGIN) {
      // Asked once more: it may have landed between the two questions.
      if ((await ledger.statuses([signature]))[0]) continue;
      await onEnd(kept.id, 'expired');
      return 'expired';
    } else if (time.now() - sentAt >= RESEND_MS) {
      await failpoint?.('before-send');
      sentAt = time.now();
      const answer = await ledger.send(kept.wire as Base64EncodedWireTransaction).catch(unlessUnreachable);
      if (answer?.kind === 'refused' && !(await ledger.statuses([signature]))[0]) {
        // It changed nothing, but an earlier send of the same bytes may still be on its way between the base ledger's nodes.
        if (!mayBeOut || ledger.name === 'layer') await onEnd(kept.id, 'failed');
        throw refusedError(purpose, answer.err, answer.logs);
      }
      mayBeOut = true;
      await failpoint?.('after-send');
    }
    await time.pause(lookAfter, signal);
    lookAfter = Math.min(lookAfter * LOOK_GROWTH, LONGEST_LOOK_MS);
  }
}

function isReached({ commitment }: SignatureStatus, wanted: Commitment): boolean {
  return commitment === 'finalized' || commitment === wanted;
}
