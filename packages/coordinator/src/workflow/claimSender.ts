import { buildClaimTransaction, type ClaimRange, type MerkleTree } from '@payouts/client';
import type { Address } from '@solana/kit';
import { unlessUnreachable } from '../domain/errors.ts';
import type { PayableRecipient } from '../domain/recipient.ts';
import { programErrorName, refusedError } from '../ledger/programErrors.ts';
import type { StageContext } from './context.ts';
import { sending } from './points.ts';

/** The execution layer's limit for one transaction, and how far below it a transaction may ask, to differ from its twins. */
const COMPUTE_UNITS = 1_400_000;
const NONCES = 100_000;
/** How often and how long a claim's status is asked for; it is there after about a millisecond. */
const LOOK_MS = 4;
const STATUS_WITHIN_MS = 5_000;
/** Milliseconds between two sends of the same bytes: the layer takes them once. */
const RESEND_MS = 500;
/** Program errors that are about the window or the signer, not about an entry: cutting the range smaller doesn't help. */
const ABOUT_THE_WINDOW: ReadonlySet<string> = new Set(['BatchNotOpen', 'NotExecutionAuthority', 'InvalidProof']);

/** What the sender pays from. */
export type ClaimSource = {
  /** The engine's name of the run. */
  readonly run: string;
  readonly batch: Address;
  readonly recipients: readonly PayableRecipient[];
  readonly tree: MerkleTree;
};

/**
 * Pays ranges of a list in the execution layer. Claims are not kept before they are sent, as other transactions are: the bitmap
 * makes a repeat harmless, and their bytes would put recipients and amounts into the database.
 */
export class ClaimSender {
  readonly #context: StageContext;
  readonly #source: ClaimSource;
  #nonce: number;

  constructor(context: StageContext, source: ClaimSource) {
    this.#context = context;
    this.#source = source;
    this.#nonce = Math.floor(context.time.random() * NONCES);
  }

  /**
   * Pays a range; entries that can't be paid are found by halving it. Returns their indexes. An answer that doesn't come counts as
   * nothing: the bitmap says what was paid. Throws `RunError` for what concerns the whole window.
   */
  async pay(range: Pick<ClaimRange, 'start' | 'count'>): Promise<number[]> {
    const err = await this.#send(range);
    if (err === null) return [];
    const name = programErrorName(err);
    if (name !== undefined && ABOUT_THE_WINDOW.has(name)) throw refusedError('claim', err);
    if (range.count === 1) return [range.start];
    const half = Math.floor(range.count / 2);
    const first = await this.pay({ start: range.start, count: half });
    return [...first, ...(await this.pay({ start: range.start + half, count: range.count - half }))];
  }

  /** The transaction's error, or null when it succeeded or no status came. */
  async #send({ start, count }: Pick<ClaimRange, 'start' | 'count'>): Promise<unknown> {
    const { layer, authority, config, program, time, signal } = this.#context;
    const { run, batch, recipients, tree } = this.#source;
    const { reached } = sending(this.#context.reached, 'claim', [run]);
    const claims = recipients.slice(start, start + count);
    this.#nonce = (this.#nonce + 1) % NONCES;
    const { wire, signature } = await buildClaimTransaction({
      authority,
      config,
      batch,
      claims,
      proof: tree.rangeProof(start, count),
      lifetime: await layer.lifetime(),
      programAddress: program,
      // The layer takes an identical transaction for the same one, so a repeat must differ in something.
      computeUnitLimit: COMPUTE_UNITS - this.#nonce,
    });
    const deadline = time.now() + STATUS_WITHIN_MS;
    for (let sentAt = Number.NEGATIVE_INFINITY; ; ) {
      if (time.now() - sentAt >= RESEND_MS) {
        await reached?.('before-send');
        sentAt = time.now();
        const answer = await layer.send(wire).catch(unlessUnreachable);
        if (answer?.kind === 'refused') return answer.err;
        await reached?.('after-send');
      }
      const isOver = time.now() >= deadline;
      // Only the last look must be answered: a layer that is gone is not taken for one that has nothing to say.
      const [status] = (await layer.statuses([signature]).catch(isOver ? undefined : unlessUnreachable)) ?? [];
      if (status) {
        await reached?.('after-landing');
        return status.err;
      }
      if (isOver) return null;
      await time.pause(LOOK_MS, signal);
    }
  }
}
