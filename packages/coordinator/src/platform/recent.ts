/** Milliseconds that a reading counts at least. */
const LEAST_MS = 1_000;
/** A reading counts this many times as long as it took: the database spends a twentieth of its time on it at most. */
const TIMES = 20;
/** Milliseconds until which an older reading is still better than waiting for the next one. */
const OLDEST_MS = 30_000;

/**
 * Something that is dear to read, as it was a moment ago: whoever asks gets the last reading, and has the next one begun if that is not
 * the latest any more. Only who finds none, or an old one, waits. A reading that fails is nobody's but those who waited for it.
 */
export class Recent<T> {
  readonly #read: () => Promise<T>;
  readonly #time: Pick<Time, 'monotonic'>;
  #last: { readonly value: T; readonly at: number; readonly goodMs: number } | undefined;
  #next: Promise<T> | undefined;

  constructor(read: () => Promise<T>, time: Pick<Time, 'monotonic'>) {
    this.#read = read;
    this.#time = time;
  }

  async get(): Promise<T> {
    const age = this.#last === undefined ? Number.POSITIVE_INFINITY : this.#time.monotonic() - this.#last.at;
    if (this.#last !== undefined && age < this.#last.goodMs) return this.#last.value;
    this.#next ??= this.#readNext();
    if (this.#last === undefined || age >= OLDEST_MS) return this.#next;
    this.#next.catch(() => {});
    return this.#last.value;
  }

  async #readNext(): Promise<T> {
    const began = this.#time.monotonic();
    try {
      const value = await this.#read();
      const at = this.#time.monotonic();
      this.#last = { value, at, goodMs: Math.min(OLDEST_MS, Math.max(LEAST_MS, TIMES * (at - began))) };
      return value;
    } finally {
      this.#next = undefined;
    }
  }
}

import type { Time } from '@payouts/client';
