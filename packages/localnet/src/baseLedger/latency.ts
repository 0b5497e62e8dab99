import type { Time } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { AccountState } from './account.ts';

/** What a cluster takes, milliseconds: until a transaction lands, and from then until it is final. */
export interface Latency {
  readonly landMs: number;
  readonly finalMs: number;
}

interface Replaced {
  readonly address: Address;
  /** null: there was no account. */
  readonly state: AccountState | null;
  readonly at: number;
}

/** The ledger as it was some time ago: what is final, where finality takes time. At first it takes none. */
export class Finality {
  #latency: Latency = { landMs: 0, finalMs: 0 };
  #slots: { slot: number; at: number }[] = [];
  #replaced: Replaced[] = [];

  constructor(private readonly time: Time) {}

  get latency(): Latency {
    return this.#latency;
  }

  set latency(latency: Latency) {
    this.#latency = latency;
    this.#slots = [];
    this.#replaced = [];
  }

  /** Whether what happened at an instant, unix milliseconds, is final. */
  isFinal(at: number): boolean {
    return this.time.now() - at >= this.#latency.finalMs;
  }

  /** Notes when a slot began; slots come in order. */
  beginSlot(slot: number): void {
    if (this.#latency.finalMs === 0) return;
    this.#slots.push({ slot, at: this.time.now() });
    // The newest final one stays.
    while (this.#slots[1] !== undefined && this.isFinal(this.#slots[1].at)) this.#slots.shift();
    while (this.#replaced[0] !== undefined && this.isFinal(this.#replaced[0].at)) this.#replaced.shift();
  }

  /** Keeps what is about to be written. */
  keep(address: Address, state: AccountState | null): void {
    if (this.#latency.finalMs > 0) this.#replaced.push({ address, state, at: this.time.now() });
  }

  /** The newest final slot; `newest` where finality takes no time. */
  slot(newest: number): number {
    return this.#slots[0]?.slot ?? newest;
  }

  /** An account's final state; `newest` is its present one. */
  account(address: Address, newest: AccountState | null): AccountState | null {
    const first = this.#replaced.find((each) => each.address === address && !this.isFinal(each.at));
    return first === undefined ? newest : first.state;
  }
}
