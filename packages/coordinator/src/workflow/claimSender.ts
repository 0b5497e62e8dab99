import { buildClaimTransaction, type ClaimRange, type Lifetime, type MerkleTree } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { PayableRecipient } from '../domain/recipient.ts';
import { programErrorName, refusedError } from '../ledger/programErrors.ts';
import type { OwedKeeper } from '../owed/keeper.ts';
import type { StageContext } from './context.ts';

/** The execution layer's limit for one transaction, and how far below it a transaction may ask, to differ from its twins. */
const COMPUTE_UNITS = 1_400_000;
const NONCES = 100_000;
/** How long a blockhash is used for new transactions, in milliseconds. */
const LIFETIME_MS = 500;
/** How often and how long a claim's status is asked for; it is there after about a millisecond. */
const LOOK_MS = 4;
const STATUS_WITHIN_MS = 5_000;
/** Program errors that are about the window or the signer, not about an entry: cutting the range smaller doesn't help. */
const ABOUT_THE_WINDOW: ReadonlySet<string> = new Set(['BatchNotOpen', 'NotExecutionAuthority', 'InvalidProof']);

/** What the sender pays from. */
export type ClaimSource = {
  readonly batch: Address;
  /** Keeps the owed tree of the batch's token. */
  readonly owed: OwedKeeper;
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
  #lifetime: { readonly value: Promise<Lifetime>; readonly at: number } | undefined;
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
    const err = await this.#source.owed.shared(() => this.#send(range));
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
    const { batch, recipients, tree, owed } = this.#source;
    const claims = recipients.slice(start, start + count);
    owed.touch(claims.map(({ balance }) => balance));
    this.#nonce = (this.#nonce + 1) % NONCES;
    const { wire, signature } = await buildClaimTransaction({
      authority,
      config,
      batch,
      claims,
      proof: tree.rangeProof(start, count),
      lifetime: await this.#currentLifetime(),
      programAddress: program,
      // The layer takes an identical transaction for the same one, so a repeat must differ in something.
      computeUnitLimit: COMPUTE_UNITS - this.#nonce,
    });
    const answer = await layer.send(wire);
    if (answer.kind === 'refused') return answer.err;
    const deadline = time.now() + STATUS_WITHIN_MS;
    while (time.now() < deadline) {
      const [status] = await layer.statuses([signature]);
      if (status) return status.err;
      await time.pause(LOOK_MS, signal);
    }
    return null;
  }

  #currentLifetime(): Promise<Lifetime> {
    const now = this.#context.time.now();
    if (this.#lifetime === undefined || now - this.#lifetime.at > LIFETIME_MS) {
      this.#lifetime = { value: this.#context.layer.lifetime(), at: now };
    }
    return this.#lifetime.value;
  }
}
