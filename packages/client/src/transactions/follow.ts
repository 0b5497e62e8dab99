import type { Base64EncodedWireTransaction, Signature } from '@solana/kit';
import type { Time } from '../time.ts';

/** Two of the ledger's commitments: `confirmed` to act by, `finalized` to report by. */
export type Commitment = 'confirmed' | 'finalized';

/** What a ledger says of a signature; `err` is null for success. */
export type SignatureStatus = { readonly err: unknown; readonly commitment: 'processed' | Commitment };

/** A ledger took a transaction's bytes, has had them before, or refused them with an error. */
export type SendAnswer =
  | { readonly kind: 'taken' | 'duplicate' }
  | { readonly kind: 'refused'; readonly err: unknown; readonly logs: readonly string[] };

/** What of a ledger a transaction is sent and followed by. */
export interface FollowedLedger {
  /** The execution layer has no commitments: what it has executed stands there. */
  readonly name: 'base' | 'layer';
  statuses(signatures: readonly Signature[]): Promise<readonly (SignatureStatus | null)[]>;
  blockHeight(): Promise<bigint>;
  send(wire: Base64EncodedWireTransaction): Promise<SendAnswer>;
}

/** Signed bytes; `isNew`: they have never been sent. */
export type SignedBytes = {
  readonly wire: Base64EncodedWireTransaction;
  readonly signature: Signature;
  readonly lastValidBlockHeight: bigint;
  readonly isNew: boolean;
};

/** Just before a send; a send was answered; the ledger shows it, with the commitment that is waited for. */
export type SendMoment = 'before-send' | 'after-send' | 'after-landing';

/** How a transaction is followed. */
export type Following = {
  readonly ledger: FollowedLedger;
  readonly time: Time;
  readonly commitment: Commitment;
  readonly signal?: AbortSignal;
  /** Milliseconds after which it is given up, its end not known; without, it is followed until its end. */
  readonly withinMs?: number;
  /** Whether the error of a send leaves open what the node did. Others are thrown. */
  readonly isOpen: (error: unknown) => boolean;
  /** Whether reads may fail so, too, for a while, and milliseconds until the next one; without, what they throw is thrown. */
  readonly pauseAfter?: (error: unknown) => number;
  /** Whether bytes that may be out already are waited for though the ledger refuses them now; without, that is their end. */
  readonly outwaitsRefusals?: boolean;
  /** Told how far it is; it goes on when this resolves. */
  readonly onMoment?: ((moment: SendMoment) => Promise<void>) | undefined;
  /** Told each status that is not the end yet. */
  readonly onStatus?: (status: SignatureStatus) => void;
};

/**
 * How a transaction ended.
 * - `landed`: with the commitment that was waited for
 * - `failed`: it was executed and changed nothing but the fee
 * - `refused`: a ledger looked at it and passed it on to nobody; `wasOut`: an earlier send of the same bytes may still be on its way
 * - `expired`: no ledger takes it any more
 * - `unknown`: its end was not seen in time
 */
export type TransactionEnd =
  | { readonly kind: 'landed' | 'expired' | 'unknown' }
  | { readonly kind: 'failed'; readonly err: unknown }
  | { readonly kind: 'refused'; readonly err: unknown; readonly logs: readonly string[]; readonly wasOut: boolean };

/** Milliseconds before the second look at a signature, how much longer each further wait is until it is seen, and the longest. */
const LOOK_MS = 6;
const LOOK_GROWTH = 2.5;
const LONGEST_LOOK_MS = 400;
/** Once it is seen, finality is a matter of seconds: milliseconds until the next look, half as much more each time, and at most. */
const FINAL_LOOK_MS = 400;
const FINAL_LOOK_GROWTH = 1.5;
const LONGEST_FINAL_LOOK_MS = 2_000;
/** Milliseconds between two sends of the same bytes. */
const RESEND_MS = 2_000;
/** Blocks beyond a transaction's last valid one before it counts as gone: other nodes may lag behind the one asked. */
const EXPIRY_MARGIN = 5n;

const isReached = ({ commitment }: SignatureStatus, { ledger, commitment: wanted }: Following): boolean =>
  ledger.name === 'layer' || commitment === 'finalized' || commitment === wanted;

/**
 * Sends signed bytes and follows them to their end: a send that was lost is made again with the same bytes, which a ledger executes once.
 * Only when their time is over may something new be signed. Throws the signal's reason, and what `isOpen` and `pauseAfter` don't take.
 */
export async function followTransaction(following: Following, bytes: SignedBytes): Promise<TransactionEnd> {
  const { ledger, time, signal, withinMs = Number.POSITIVE_INFINITY, onMoment, onStatus } = following;
  const { wire, signature } = bytes;
  const asked = askedBy(following);
  const statusNow = async () => (await asked(() => ledger.statuses([signature])))?.[0];
  const deadline = time.monotonic() + withinMs;
  let sentAt = Number.NEGATIVE_INFINITY;
  let mayBeOut = !bytes.isNew;
  let lookMs = LOOK_MS;
  let finalLookMs = FINAL_LOOK_MS;
  while (time.monotonic() < deadline) {
    const status = mayBeOut ? await statusNow() : null;
    if (status) {
      // A block that is only processed may be dropped, and the same bytes succeed in another one.
      if (status.err !== null && (ledger.name === 'layer' || status.commitment !== 'processed')) {
        return { kind: 'failed', err: status.err };
      }
      if (status.err === null && isReached(status, following)) {
        await onMoment?.('after-landing');
        return { kind: 'landed' };
      }
      onStatus?.(status);
    } else if (status === null && time.monotonic() - sentAt >= RESEND_MS) {
      if (mayBeOut && (await isExpired())) {
        // Asked once more: it may have landed between the two questions.
        if ((await statusNow()) === null) return { kind: 'expired' };
        continue;
      }
      await onMoment?.('before-send');
      sentAt = time.monotonic();
      const answer = await ledger.send(wire).catch((error: unknown) => {
        if (following.isOpen(error)) return undefined;
        throw error;
      });
      if (answer?.kind === 'refused' && !(mayBeOut && following.outwaitsRefusals) && !(await statusNow())) {
        return { ...answer, wasOut: mayBeOut };
      }
      mayBeOut = true;
      await onMoment?.('after-send');
    }
    const isAwaitingFinality = status?.commitment === 'confirmed';
    await time.pause(isAwaitingFinality ? finalLookMs : lookMs, signal);
    if (isAwaitingFinality) finalLookMs = Math.min(finalLookMs * FINAL_LOOK_GROWTH, LONGEST_FINAL_LOOK_MS);
    else lookMs = Math.min(lookMs * LOOK_GROWTH, LONGEST_LOOK_MS);
  }
  return { kind: 'unknown' };

  async function isExpired(): Promise<boolean> {
    const height = await asked(() => ledger.blockHeight());
    return height !== undefined && height > bytes.lastValidBlockHeight + EXPIRY_MARGIN;
  }
}

/** Reads of a ledger: undefined where one failed in a way that may pass, after a pause. */
function askedBy({ time, signal, isOpen, pauseAfter }: Following) {
  return async <T>(read: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await read();
    } catch (error) {
      if (pauseAfter === undefined || !isOpen(error)) throw error;
      await time.pause(pauseAfter(error), signal);
      return undefined;
    }
  };
}
