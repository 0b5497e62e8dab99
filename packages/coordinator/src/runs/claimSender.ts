import {
  BITMAP_PAGE_BITS,
  bitmapAddresses,
  buildClaimTransaction,
  type ClaimRange,
  type MerkleTree,
  openBitmapInstruction,
  openPagesInstructions,
} from '@payouts/client';
import type { Address, Instruction } from '@solana/kit';
import { type KnownPage, placeIn } from '../balances/pages.ts';
import { pagesOfPlaces } from '../domain/places.ts';
import { runIdOf } from '../domain/run.ts';
import { sending } from '../ledger/failpoints.ts';
import type { WindowAddresses } from '../ledger/probe.ts';
import { instructionOf, programErrorName, refusedError } from '../ledger/programErrors.ts';
import type { PayableList } from '../lists/payableList.ts';
import type { StageContext } from './context.ts';
import { LayerSender } from './layerSend.ts';

/** Program errors that are about the window or the signer, not about an entry: cutting the range smaller doesn't help. */
const ABOUT_THE_WINDOW: ReadonlySet<string> = new Set(['BatchNotOpen', 'NotExecutionAuthority', 'InvalidProof']);

/** Places of instructions in a transaction that makes pages, behind the limit of compute units. */
const [MAKING, PERMITTING] = [1, 2];

/** What the sender pays from. */
export type ClaimSource = {
  readonly at: WindowAddresses;
  readonly payees: PayableList;
  readonly tree: MerkleTree;
  readonly mint: Address;
  /** Where the list's balances are, by the page's number, and which of these pages the layer lacks. */
  readonly pages: ReadonlyMap<number, KnownPage>;
  readonly missing: ReadonlySet<number>;
  /** Whether the layer has read permissions. */
  readonly isPrivate: boolean;
  /** What the addresses of the window's bitmap follow from, beside the window. */
  readonly bitmapNonce: number;
};

/**
 * Pays ranges of a list in the execution layer. Claims are not kept before they are sent, as other transactions are: the bitmap
 * makes a repeat harmless, and their bytes would put recipients and amounts into the database.
 */
export class ClaimSender {
  /** Numbers of the pages that were to be made with claims; and of those that any can read, since the layer refused their read permissions. */
  readonly made = new Set<number>();
  readonly readable = new Set<number>();
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
    await this.#send(range, { making: this.#making(range), isPrivate: this.#source.isPrivate, following });
  }

  /**
   * Pays a range; entries that can't be paid are found by halving it. Returns their indexes. An answer that doesn't come counts as
   * nothing: the bitmap says what was paid. Throws `RunError` for what concerns the whole window.
   */
  async pay(range: ClaimRange, isPrivate = this.#source.isPrivate): Promise<number[]> {
    const making = this.#making(range);
    const err = await this.#send(range, { making, isPrivate });
    if (err === null) return [];
    if (making.length > 0) {
      const refused = instructionOf(err);
      if (refused === MAKING) throw refusedError('making of pages', err);
      if (isPrivate && refused === PERMITTING) {
        // A layer that refuses read permissions keeps nobody from being paid.
        for (const { number } of making) this.readable.add(number);
        return this.pay(range, false);
      }
    }
    const name = programErrorName(err);
    if (name !== undefined && ABOUT_THE_WINDOW.has(name)) throw refusedError('claim', err);
    if (range.count === 1) return [range.start];
    const half = Math.floor(range.count / 2);
    const first = await this.pay({ start: range.start, count: half }, isPrivate);
    return [...first, ...(await this.pay({ start: range.start + half, count: range.count - half }, isPrivate))];
  }

  /** The pages of a range that the layer lacks. */
  #making({ start, count }: ClaimRange): KnownPage[] {
    const { payees, pages, missing } = this.#source;
    if (missing.size === 0) return [];
    const numbers = pagesOfPlaces((payees.places as Uint32Array).subarray(start, start + count));
    return [...numbers].filter((number) => missing.has(number)).map((number) => pages.get(number) as KnownPage);
  }

  /** The transaction's error, or null when it succeeded or no status came. `following`: of a transaction that makes the bitmap first. */
  #send(range: ClaimRange, { making, isPrivate, following }: Sending): Promise<unknown> {
    const { authority, config, program: programAddress } = this.#context;
    const { at, payees, tree, mint, pages, bitmapNonce } = this.#source;
    const { schedule, window, batch } = at;
    const name = { schedule, window, bitmapNonce };
    this.#bitmap ??= bitmapAddresses(name, payees.count, programAddress);
    const stages = following?.length ? (['claim', 'commit'] as const) : 'claim';
    const { failpoint } = sending(this.#context.failpoint, stages, [runIdOf(at)]);
    const accounts = { authority: authority.address, config, batch };
    const opening = { ...name, recipients: payees.count, programAddress };
    for (const { number } of making) this.made.add(number);
    const { start, count } = range;
    const claim = {
      ...{ authority, config, batch, programAddress },
      bitmap: this.#bitmap[Math.floor(start / BITMAP_PAGE_BITS)] as Address,
      leaves: payees.claims(range, placeIn(pages)),
      proof: tree.rangeProof(start, count),
      preceding: [
        ...openPagesInstructions(accounts, { mint, pages: making, isPrivate, programAddress }),
        ...(following === undefined ? [] : [openBitmapInstruction(accounts, opening)]),
      ],
      following: following ?? [],
    };
    return this.#sender.send((terms) => buildClaimTransaction({ ...claim, ...terms }), failpoint);
  }
}

/** Pages that are made, and whether their read permissions are set; what follows, of a transaction that makes the bitmap first. */
type Sending = {
  readonly making: readonly KnownPage[];
  readonly isPrivate: boolean;
  readonly following?: readonly Instruction[];
};
