/** Slots whose time is known without a transaction in them: some minutes. */
const KEPT = 1_024;

/** When the latest slots began, by the ledger's clock. */
export class SlotTimes {
  readonly #times = new Map<number, number>();

  /** Notes when a slot began, in unix seconds; slots come in order. */
  add(slot: number, unixSeconds: number): void {
    this.#times.set(slot, unixSeconds);
    this.#times.delete(slot - KEPT);
  }

  /** Unix seconds; undefined for a slot long gone, or not begun. */
  at(slot: number): number | undefined {
    return this.#times.get(slot);
  }
}
