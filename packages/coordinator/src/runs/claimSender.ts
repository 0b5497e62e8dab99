import {
  type BalancePlace,
  BITMAP_PAGE_BITS,
  bitmapAddresses,
  buildClaimTransaction,
  type ClaimRange,
  type MerkleTree,
} from '@payouts/client';
import type { Address, Instruction } from '@solana/kit';
import { runIdOf } from '../domain/run.ts';
import { sending } from '../ledger/failpoints.ts';
import type { WindowAddresses } from '../ledger/probe.ts';
import { programErrorName, refusedError } from '../ledger/programErrors.ts';
import type { PayableList } from '../lists/payableList.ts';
import type { StageContext } from './context.ts';
import { LayerSender } from './layerSend.ts';

/** Program errors that are about the window or the signer, not about an entry: cutting the range smaller doesn't help. */
const ABOUT_THE_WINDOW: ReadonlySet<string> = new Set(['BatchNotOpen', 'NotExecutionAuthority', 'InvalidProof']);

/** What the sender pays from. */
export type ClaimSource = {
  readonly at: WindowAddresses;
  readonly payees: PayableList;
  readonly tree: MerkleTree;
  /** Where a place is. */
  readonly placeOf: (place: number) => BalancePlace;
  /** What the addresses of the window's bitmap follow from, beside the window. */
  readonly bitmapNonce: number;
};

/**
 * Pays ranges of a list in the execution layer. Claims are not kept before they are sent, as other transactions are: the bitmap
 * makes a repeat harmless, and their bytes would put recipients and amounts into the database.
 */
export class ClaimSender {
  readonly #context: StageContext;
  readonly #source: ClaimSource;
  readonly #sender: LayerSender;
  /** The pages of the window's bitmap, once a claim has needed one. */
  #bitmap: readonly Address[] | undefined;

  constructor(context: StageContext, source: ClaimSource) {
    this.#context = context;
    this.#source = source;
    this.#sender = new LayerSender(context);
  }

  /**
   * Makes the window's bitmap, pays a range, and closes the window by what is `following`, if anything is, in one transaction: everything or
   * nothing. The window's state says which.
   */
  async makeBitmapAndPay(range: ClaimRange, following: readonly Instruction[]): Promise<void> {
    await this.#send(range, following);
  }

  /**
   * Pays a range; entries that can't be paid are found by halving it. Returns their indexes. An answer that doesn't come counts as
   * nothing: the bitmap says what was paid. Throws `RunError` for what concerns the whole window.
   */
  async pay(range: ClaimRange): Promise<number[]> {
    const err = await this.#send(range);
    if (err === null) return [];
    const name = programErrorName(err);
    if (name !== undefined && ABOUT_THE_WINDOW.has(name)) throw refusedError('claim', err);
    if (range.count === 1) return [range.start];
    const half = Math.floor(range.count / 2);
    const first = await this.pay({ start: range.start, count: half });
    return [...first, ...(await this.pay({ start: range.start + half, count: range.count - half }))];
  }

  /** The transaction's error, or null when it succeeded or no status came. `following`: of a transaction that makes the bitmap first. */
  #send({ start, count }: ClaimRange, following?: readonly Instruction[]): Promise<unknown> {
    const { authority, config, program } = this.#context;
    const { at, payees, tree, placeOf, bitmapNonce } = this.#source;
    const { schedule, window, batch } = at;
    const name = { schedule, window, bitmapNonce };
    this.#bitmap ??= bitmapAddresses(name, payees.count, program);
    const stages = following?.length ? (['claim', 'commit'] as const) : 'claim';
    const { failpoint } = sending(this.#context.failpoint, stages, [runIdOf(at)]);
    const range = {
      authority,
      config,
      batch,
      bitmap: this.#bitmap[Math.floor(start / BITMAP_PAGE_BITS)] as Address,
      claims: payees.claims(start, count, placeOf),
      proof: tree.rangeProof(start, count),
      ...(following && { opening: { ...name, recipients: payees.count }, following }),
      programAddress: program,
    };
    return this.#sender.send((terms) => buildClaimTransaction({ ...range, ...terms }), failpoint);
  }
}
