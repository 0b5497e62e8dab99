import { type BalancePlace, buildClaimTransaction, type ClaimRange, type MerkleTree } from '@payouts/client';
import type { Address } from '@solana/kit';
import { sending } from '../ledger/failpoints.ts';
import { programErrorName, refusedError } from '../ledger/programErrors.ts';
import type { PayableList } from '../lists/payableList.ts';
import type { StageContext } from './context.ts';
import { LayerSender } from './layerSend.ts';

/** Program errors that are about the window or the signer, not about an entry: cutting the range smaller doesn't help. */
const ABOUT_THE_WINDOW: ReadonlySet<string> = new Set(['BatchNotOpen', 'NotExecutionAuthority', 'InvalidProof']);

/** What the sender pays from. */
export type ClaimSource = {
  /** The engine's name of the run. */
  readonly run: string;
  readonly batch: Address;
  readonly payees: PayableList;
  readonly tree: MerkleTree;
  /** Where a place is. */
  readonly placeOf: (place: number) => BalancePlace;
  /** The page of the window's bitmap in which an index has its bit. */
  readonly bitmapOf: (index: number) => Address;
};

/**
 * Pays ranges of a list in the execution layer. Claims are not kept before they are sent, as other transactions are: the bitmap
 * makes a repeat harmless, and their bytes would put recipients and amounts into the database.
 */
export class ClaimSender {
  readonly #context: StageContext;
  readonly #source: ClaimSource;
  readonly #sender: LayerSender;

  constructor(context: StageContext, source: ClaimSource) {
    this.#context = context;
    this.#source = source;
    this.#sender = new LayerSender(context);
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
  #send({ start, count }: Pick<ClaimRange, 'start' | 'count'>): Promise<unknown> {
    const { authority, config, program } = this.#context;
    const { run, batch, payees, tree, placeOf, bitmapOf } = this.#source;
    const { failpoint } = sending(this.#context.failpoint, 'claim', [run]);
    const range = {
      authority,
      config,
      batch,
      bitmap: bitmapOf(start),
      claims: payees.claims(start, count, placeOf),
      proof: tree.rangeProof(start, count),
      programAddress: program,
    };
    return this.#sender.send((terms) => buildClaimTransaction({ ...range, ...terms }), failpoint);
  }
}
