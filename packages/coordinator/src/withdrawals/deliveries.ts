import type { Address } from '@solana/kit';
import type { ObservedBalance } from '../liabilities/balanceAccount.ts';
import type { Releases } from './layerActions.ts';

/** Of what waits: something that was claimed and is delivered to a wallet. A withdrawal that waits has a time of its own. */
export const isDelivery = ({ dueAt }: ObservedBalance): boolean => dueAt === 0n;

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
  gather(waiting: readonly ObservedBalance[], now: number): void {
    if (!this.areToBeGathered(now)) return;
    this.#batched = new Set(waiting.filter(isDelivery).map(({ balance }) => balance));
    this.#gatheredIn = this.#intervalOf(now);
  }

  /** Whether a delivery may leave: it was gathered before the last release instant. */
  mayLeave({ balance }: ObservedBalance, now: number): boolean {
    return this.#intervalOf(now) > this.#gatheredIn && this.#batched.has(balance);
  }

  #intervalOf(now: number): number {
    return Math.floor(now / this.#everyMs);
  }
}
