import type { Time } from '@payouts/client';
import type { Address } from '@solana/kit';

/** Milliseconds from a change until its vault is read: by then its schedules are recorded as the same transaction has left them. */
const SETTLE_MS = 1_000;
/** Vaults kept in mind; what is beyond is read when it was not read for long. */
const MOST = 10_000;

/** Vaults that have changed on the base ledger since they were last read. */
export class ChangedVaults {
  /** When each last changed, in unix milliseconds, the first to be read first. */
  readonly #changes = new Map<Address, number>();

  constructor(private readonly time: Pick<Time, 'now'>) {}

  note(vault: Address): void {
    this.#changes.delete(vault);
    if (this.#changes.size < MOST) this.#changes.set(vault, this.time.now());
  }

  /** Takes so many that are to be read now, at most. */
  take(limit: number): Address[] {
    const taken: Address[] = [];
    for (const [vault, at] of this.#changes) {
      if (taken.length === limit || at > this.time.now() - SETTLE_MS) break;
      this.#changes.delete(vault);
      taken.push(vault);
    }
    return taken;
  }
}
