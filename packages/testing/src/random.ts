/** Numbers that follow from a seed alone (sfc32, seeded by splitmix32). */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d = 1;

  constructor(seed: number) {
    let state = seed >>> 0;
    const split = () => {
      state = (state + 0x9e3779b9) >>> 0;
      let mixed = state ^ (state >>> 16);
      mixed = Math.imul(mixed, 0x21f0aaad);
      mixed ^= mixed >>> 15;
      mixed = Math.imul(mixed, 0x735a2d97);
      return (mixed ^ (mixed >>> 15)) >>> 0;
    };
    [this.#a, this.#b, this.#c] = [split(), split(), split()];
    for (let round = 0; round < 12; round += 1) this.u32();
  }

  u32(): number {
    const sum = (((this.#a + this.#b) >>> 0) + this.#d) >>> 0;
    this.#d = (this.#d + 1) >>> 0;
    this.#a = (this.#b ^ (this.#b >>> 9)) >>> 0;
    this.#b = (this.#c + (this.#c << 3)) >>> 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) >>> 0;
    return sum;
  }

  /** A whole number from 0 up to but not including `end`. */
  below(end: number): number {
    return this.u32() % end;
  }

  /** A whole number between two, both included. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  amount(most: bigint): bigint {
    return most <= 0n ? 0n : (BigInt(this.u32()) * 0x1_0000_0000n + BigInt(this.u32())) % (most + 1n);
  }

  chance(probability: number): boolean {
    return this.u32() < probability * 0x1_0000_0000;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }

  bytes(size: number): Uint8Array {
    return Uint8Array.from({ length: size }, () => this.below(256));
  }

  /** Picks by weight. */
  weighted<T>(items: readonly (readonly [number, T])[]): T {
    let left = this.below(items.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, item] of items) {
      if (left < weight) return item;
      left -= weight;
    }
    throw new Error('nothing to pick from');
  }
}
