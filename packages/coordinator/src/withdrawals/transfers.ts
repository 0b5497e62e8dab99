import { addressFromBytes, type BalancePlace, shuffled } from '@payouts/client';
import { LRUCache } from 'lru-cache';
import { placeIn } from '../balances/pages.ts';
import type { PaymentCodes } from '../balances/paymentCodes.ts';
import type { ObservedTransfer } from '../balances/personal.ts';
import { PAGE_PLACES, pageOfPlace } from '../domain/places.ts';
import type { LiabilityRecorder } from '../liabilities/recorder.ts';
import type { RecorderContext } from '../liabilities/recorderContext.ts';
import { forEachLimited } from '../platform/concurrency.ts';
import type { LayerActions, LayerOutcome, Releases } from './layerActions.ts';
import type { NotedTransfer, TransferHistory } from './transferHistory.ts';

/** Transfers under way at a time. */
const AT_A_TIME = 8;
/** Milliseconds until a transfer is tried again that could not be made: its code is nobody's, or the layer has refused it. */
const AGAIN_AFTER_MS = 60_000;

/** Transfers of one balance that are begun in an hour: further ones wait. They cost nobody anything, and something is kept of each. */
export const MOST_AN_HOUR = 60;
const HOUR_MS = 3_600_000;
/** Balances of which it is remembered when theirs were begun. */
const REMEMBERED = 10_000;

export type TransfersInput = Pick<RecorderContext, 'log' | 'time' | 'metrics'> &
  Pick<Releases, 'randomBelow'> & {
    readonly balances: { readonly pages: Pick<RecorderContext['balances']['pages'], 'of' | 'all'> };
    readonly actions: Pick<LayerActions, 'executeTransfer'>;
    readonly codes: Pick<PaymentCodes, 'placeOf'>;
    readonly history: Pick<TransferHistory, 'begin' | 'end' | 'keep'>;
    readonly draining: AbortSignal;
  };

/** What notes that a transfer was made, and lets nobody record a tree meanwhile. */
type Recorder = Pick<LiabilityRecorder, 'shared' | 'moved'>;

/** Where money goes: its place in the tree, and in the layer. */
type Destination = { readonly place: number; readonly at: BalancePlace };

/** What the layer has said, and what is kept. */
type Executed = { readonly outcome: LayerOutcome; readonly noted: NotedTransfer };

const keyOf = ({ personal, id }: ObservedTransfer): string => `${personal.address} ${id}`;

/** Makes the private transfers that recipients have asked for. */
export class Transfers {
  /** Those that could not be made, and when they are tried again, unix milliseconds. */
  #later = new Map<string, number>();

  /** By balance, when those of the last hour were begun, unix milliseconds. */
  readonly #begun = new LRUCache<string, readonly number[]>({ max: REMEMBERED });

  constructor(private readonly input: TransfersInput) {}

  /**
   * Makes those of one token, in random order. Throws when it can't be kept that one is about to be made: none is made then of which nothing
   * is known.
   */
  async make(recorder: Recorder, waiting: readonly ObservedTransfer[]): Promise<void> {
    const { time, draining, randomBelow, history } = this.input;
    await history.keep();
    const now = time.now();
    const due = waiting.filter((each) => (this.#later.get(keyOf(each)) ?? 0) <= now);
    await forEachLimited(shuffled(due, randomBelow), AT_A_TIME, async (transfer) => {
      if (!draining.aborted) await this.#make(recorder, transfer);
    });
  }

  /** Those that don't wait any more are nobody's concern. */
  forget(waiting: readonly ObservedTransfer[]): void {
    const left = new Set(waiting.map(keyOf));
    this.#later = new Map([...this.#later].filter(([key]) => left.has(key)));
  }

  async #make(recorder: Recorder, transfer: ObservedTransfer): Promise<void> {
    const { history } = this.input;
    const destination = await this.#destinationOf(transfer);
    if (destination === undefined) return this.#refused(transfer, 'InvalidPaymentCode');
    if (!this.#mayBegin(transfer)) return;
    const { outcome, noted } = await this.#execute(recorder, transfer, destination);
    if (outcome !== 'done') this.#refused(transfer, outcome);
    // What has no answer may have been made all the same.
    if (outcome !== 'unknown') await history.end(noted, outcome === 'done' ? 'made' : 'refused');
  }

  /** Notes that one is begun, unless so many of its balance were within the hour that it waits. */
  #mayBegin({ personal: { mint, owner } }: ObservedTransfer): boolean {
    const now = this.input.time.now();
    const balance = `${mint} ${addressFromBytes(owner)}`;
    const begun = (this.#begun.get(balance) ?? []).filter((at) => at > now - HOUR_MS);
    const isRoom = begun.length < MOST_AN_HOUR;
    this.#begun.set(balance, isRoom ? [...begun, now] : begun);
    return isRoom;
  }

  async #destinationOf({ personal: { mint }, code }: ObservedTransfer): Promise<Destination | undefined> {
    const { codes, balances } = this.input;
    const place = await codes.placeOf(mint, code);
    if (place === undefined) return undefined;
    return { place, at: placeIn(await balances.pages.of(mint, [pageOfPlace(place)]))(place) };
  }

  /** Makes one while no recording is made: a tree has both balances of a transfer as they were, or neither. It is kept before it is sent. */
  async #execute(recorder: Recorder, transfer: ObservedTransfer, { place, at }: Destination): Promise<Executed> {
    const { actions, balances, history, log, metrics } = this.input;
    const { mint, page, slot } = transfer.personal;
    return recorder.shared(async () => {
      const { signature, send } = await actions.executeTransfer(transfer, at);
      const noted = await history.begin(transfer, signature);
      const outcome = await send();
      if (outcome !== 'done') return { outcome, noted };
      const from = (await balances.pages.all(mint)).find(({ address }) => address === page);
      if (from !== undefined) recorder.moved.note([from.number * PAGE_PLACES + slot, place]);
      metrics.transfers.inc({ outcome: 'made' });
      log.debug({ mint }, 'private transfer made');
      return { outcome, noted };
    });
  }

  #refused(transfer: ObservedTransfer, outcome: LayerOutcome): void {
    const { log, time, metrics } = this.input;
    this.#later.set(keyOf(transfer), time.now() + AGAIN_AFTER_MS);
    metrics.transfers.inc({ outcome: 'refused' });
    log.debug({ mint: transfer.personal.mint, outcome }, 'private transfer not made; tried again later');
  }
}
