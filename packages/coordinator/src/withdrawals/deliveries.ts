import type { Address } from '@solana/kit';
import type { ObservedPersonal } from '../balances/personal.ts';
import type { Releases } from './layerActions.ts';

/**
 * Which deliveries leave at the next release instant: those that were there halfway since the last one. Windows are often due at round
 * times, which are release instants too; what is claimed then would otherwise leave partly at this one, partly at the next, and show
 * who was paid first.
 */
export class Deliveries {
  readonly #everyMs: number;
  #batched: ReadonlySet<Address> = new Set();
  /** Number of the interval between two instants in which they were gathered. */
  #gatheredIn = Number.NEGATIVE_INFINITY;

  constructor({ releaseSeconds }: Pick<Releases, 'releaseSeconds'>) {
    this.#everyMs = releaseSeconds * 1_000;
  }

  /** Whether those that wait are to be looked at: once in the second half of each interval; `now` in unix milliseconds. */
  areToBeGathered(now: number): boolean {
    return now % this.#everyMs >= this.#everyMs / 2 && this.#intervalOf(now) !== this.#gatheredIn;
  }

  /** Keeps in mind which deliveries wait, if it is time to. */
  gather(deliveries: readonly ObservedPersonal[], now: number): void {
    if (!this.areToBeGathered(now)) return;
    this.#batched = new Set(deliveries.map(({ address }) => address));
    this.#gatheredIn = this.#intervalOf(now);
  }

  /** Whether a delivery may leave: it was gathered before the last release instant. */
  mayLeave({ address }: ObservedPersonal, now: number): boolean {
    return this.#intervalOf(now) > this.#gatheredIn && this.#batched.has(address);
  }

  #intervalOf(now: number): number {
    return Math.floor(now / this.#everyMs);
  }
}
