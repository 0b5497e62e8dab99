import type { Address } from '@solana/kit';
import type { SeenBalance } from '../owed/balanceAccount.ts';
import type { Time } from '../time.ts';
import type { Releases } from './layerActions.ts';

/** Of what waits: something that was claimed and is delivered to a wallet. A withdrawal that waits has a time of its own. */
export const isDelivery = ({ dueAt }: SeenBalance): boolean => dueAt === 0n;

/**
 * Which deliveries leave at the next release instant: those that were there halfway since the last one. Windows are often due at round
 * times, which are release instants too; what is claimed then would otherwise leave partly at this one, partly at the next, and show
 * who was paid first.
 */
export class Deliveries {
  readonly #everyMs: number;
  /** Unix milliseconds. */
  #next: number;
  #gathered: ReadonlySet<Address> = new Set();

  constructor({ releaseSeconds, time }: Pick<Releases, 'releaseSeconds'> & { readonly time: Pick<Time, 'now'> }) {
    this.#everyMs = releaseSeconds * 1_000;
    this.#next = this.#halfwayAfter(time.now());
  }

  /** Whether those that wait are to be looked at; `now` in unix milliseconds. */
  areToBeGathered(now: number): boolean {
    return now >= this.#next;
  }

  /** Keeps in mind which deliveries wait, if it is time to. */
  gather(waiting: readonly SeenBalance[], now: number): void {
    if (!this.areToBeGathered(now)) return;
    // Whoever looks so late that an instant has passed meanwhile waits for the next time half-way.
    const isLate = now >= this.#next + this.#everyMs / 2;
    if (!isLate) this.#gathered = new Set(waiting.filter(isDelivery).map(({ balance }) => balance));
    this.#next = this.#halfwayAfter(now);
  }

  /** Whether a delivery may leave at a release instant. */
  has({ balance }: SeenBalance): boolean {
    return this.#gathered.has(balance);
  }

  #halfwayAfter(now: number): number {
    const half = this.#everyMs / 2;
    return (Math.floor((now - half) / this.#everyMs) + 1) * this.#everyMs + half;
  }
}
