/** Milliseconds between two looks whether work has ended. */
const LOOK_MS = 20;

/** What workflows of this process are doing, so that the service can stop between two stages. */
export class Activity {
  readonly #begun = new Set<string>();
  /** Of those begun: at work on a stage, or with a stage's result on its way into the database. */
  readonly #busy = new Set<string>();

  /** A workflow runs in this process from here to the end of `work`. */
  async during<T>(id: string, work: () => Promise<T>): Promise<T> {
    this.#begun.add(id);
    try {
      return await work();
    } finally {
      this.#begun.delete(id);
      this.#busy.delete(id);
    }
  }

  has(id: string): boolean {
    return this.#begun.has(id);
  }

  busy(id: string): void {
    this.#busy.add(id);
  }

  /** It waits for its next try, or for the next start of the service. */
  idle(id: string): void {
    this.#busy.delete(id);
  }

  /** Resolves when nobody is busy, or after so many milliseconds; says whether nobody is. */
  async isQuietWithin(milliseconds: number): Promise<boolean> {
    const deadline = Date.now() + milliseconds;
    while (this.#busy.size > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    return this.#busy.size === 0;
  }
}
