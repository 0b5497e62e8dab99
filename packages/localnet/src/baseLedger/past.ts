import type { Time } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { AccountState } from './account.ts';
import { Timeline } from './timeline.ts';

/** What a slot began with. */
export interface SlotState {
  readonly slot: number;
  readonly blockHeight: bigint;
  /** base58 */
  readonly blockhash: string;
}

/** null: there was no account. */
type Replaced = AccountState | null;

/** The ledger as it was for as long as somebody may ask for it; at first nobody does. */
export class Past {
  #keptMs = 0;
  /** Of what was before, unix milliseconds, nothing is known: it counts as having been so always. */
  #since = 0;
  #slots = new Timeline<SlotState>();
  #replaced = new Map<Address, Timeline<Replaced>>();
  #writes = new Timeline<Address>();

  constructor(private readonly time: Time) {}

  /** Whether anything is kept. */
  get isKept(): boolean {
    return this.#keptMs > 0;
  }

  /** From now on the ledger is kept as it was so many milliseconds ago; `now` is its newest slot. */
  keep(milliseconds: number, now: SlotState): void {
    this.#keptMs = milliseconds;
    this.#since = this.time.now();
    this.#slots = new Timeline();
    if (this.isKept) this.#slots.add(this.#since, now);
    this.#replaced = new Map();
    this.#writes = new Timeline();
  }

  /** The instant so many milliseconds ago, in unix milliseconds; without any, all that is there has happened. */
  instant(milliseconds: number): number {
    return milliseconds === 0 ? Number.POSITIVE_INFINITY : Math.max(this.#since, this.time.now() - milliseconds);
  }

  /** Notes what a slot begins with; slots come in order. */
  beginSlot(state: SlotState): void {
    if (!this.isKept) return;
    const now = this.time.now();
    this.#slots.add(now, state);
    this.#forget(now - this.#keptMs);
  }

  /** Keeps what is about to be written. */
  replace(address: Address, state: Replaced): void {
    if (!this.isKept) return;
    const now = this.time.now();
    const replaced = this.#replaced.get(address) ?? new Timeline<Replaced>();
    replaced.add(now, state);
    this.#replaced.set(address, replaced);
    this.#writes.add(now, address);
  }

  /** The newest slot that had begun at an instant; undefined: nothing is kept. */
  slotAt(instant: number): SlotState | undefined {
    return this.#slots.upTo(instant);
  }

  /** An account at an instant; `newest` is its present state. */
  accountAt(instant: number, address: Address, newest: Replaced): Replaced {
    const next = this.#replaced.get(address)?.after(instant);
    return next === undefined ? newest : next.what;
  }

  /** The accounts that were written since the oldest instant that is kept. */
  get written(): Iterable<Address> {
    return this.#replaced.keys();
  }

  #forget(upTo: number): void {
    this.#slots.forgetBefore(upTo);
    for (let gone = this.#writes.forget(upTo); gone !== undefined; gone = this.#writes.forget(upTo)) {
      const replaced = this.#replaced.get(gone);
      replaced?.forget(upTo);
      if (replaced?.size === 0) this.#replaced.delete(gone);
    }
  }
}
