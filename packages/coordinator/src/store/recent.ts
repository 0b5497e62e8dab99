/** Milliseconds that a reading counts at least. */
const LEAST_MS = 1_000;
/** A reading counts this many times as long as it took: the database spends a twentieth of its time on it at most. */
const TIMES = 20;

/**
 * Something that is dear to read, as it was a moment ago. Whoever asks while it is read waits for that reading. A reading that fails is
 * nobody's but those who waited for it.
 */
export class Recent<T> {
  readonly #read: () => Promise<T>;
  #last: { readonly value: Promise<T>; goodUntil: number } | undefined;

  constructor(read: () => Promise<T>) {
    this.#read = read;
  }

  get(): Promise<T> {
    if (this.#last !== undefined && performance.now() < this.#last.goodUntil) return this.#last.value;
    const began = performance.now();
    const last = { value: this.#read(), goodUntil: Number.POSITIVE_INFINITY };
    this.#last = last;
    last.value.then(
      () => {
        const ended = performance.now();
        last.goodUntil = ended + Math.max(LEAST_MS, TIMES * (ended - began));
      },
      () => {
        if (this.#last === last) this.#last = undefined;
      },
    );
    return last.value;
  }
}
