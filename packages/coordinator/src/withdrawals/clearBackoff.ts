/** Milliseconds until one is tried again that the layer did not clear: twice as long each time in a row, and the longest. */
const FIRST_MS = 5_000;
const LONGEST_MS = 600_000;

type Numbered = { readonly number: bigint };

/** When a token's paid withdrawals are to be cleared again that the layer did not clear. */
export class ClearBackoff {
  /** By number; the next time in unix milliseconds. */
  readonly #waits = new Map<bigint, { readonly waitMs: number; readonly nextAt: number }>();

  /** Of all that are paid and in the layer, those that are to be cleared now, unix milliseconds. */
  toClear<One extends Numbered>(paid: readonly One[], now: number): One[] {
    const numbers = new Set(paid.map(({ number }) => number));
    for (const number of this.#waits.keys()) if (!numbers.has(number)) this.#waits.delete(number);
    return paid.filter(({ number }) => now >= (this.#waits.get(number)?.nextAt ?? 0));
  }

  /** The layer did not clear it. */
  refused({ number }: Numbered, now: number): void {
    const before = this.#waits.get(number)?.waitMs;
    const waitMs = before === undefined ? FIRST_MS : Math.min(before * 2, LONGEST_MS);
    this.#waits.set(number, { waitMs, nextAt: now + waitMs });
  }
}
