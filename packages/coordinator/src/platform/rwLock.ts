/**
 * Lets many work at once, or one alone. First come, first served, so that neither kind waits for ever: whoever comes after somebody
 * who wants to be alone waits behind them.
 */
export class RwLock {
  #inside = 0;
  #isTaken = false;
  readonly #waiting: { readonly alone: boolean; readonly enter: () => void }[] = [];

  /** Works beside others who share. */
  async shared<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter(false);
    try {
      return await work();
    } finally {
      this.#inside -= 1;
      this.#admit();
    }
  }

  /** Works while nobody else does. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    await this.#enter(true);
    try {
      return await work();
    } finally {
      this.#isTaken = false;
      this.#admit();
    }
  }

  #enter(alone: boolean): Promise<void> {
    return new Promise((enter) => {
      this.#waiting.push({ alone, enter });
      this.#admit();
    });
  }

  #admit(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (this.#isTaken || (next.alone && this.#inside > 0)) return;
      this.#waiting.shift();
      if (next.alone) this.#isTaken = true;
      else this.#inside += 1;
      next.enter();
    }
  }
}
