/**
 * Room for work by its weight: whoever finds too little waits, first come, first served. What weighs more than all of it gets in when
 * it is empty.
 */
export class Semaphore {
  readonly #waiting: { readonly share: number; readonly enter: () => void }[] = [];
  #taken = 0;

  constructor(private readonly size: number) {}

  /** Does the work once there is room for it. Throws what the work throws. */
  async within<T>(weight: number, work: () => Promise<T>): Promise<T> {
    const share = Math.min(weight, this.size);
    const entered = new Promise<void>((enter) => this.#waiting.push({ share, enter }));
    this.#admit();
    await entered;
    try {
      return await work();
    } finally {
      this.#taken -= share;
      this.#admit();
    }
  }

  #admit(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (this.#taken + next.share > this.size) return;
      this.#waiting.shift();
      this.#taken += next.share;
      next.enter();
    }
  }
}
