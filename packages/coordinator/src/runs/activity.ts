import type { Time } from '@payouts/client';

/** Milliseconds between two looks whether work has ended. */
const LOOK_MS = 20;

/** One workflow's execution in this process. */
export type Execution = {
  /** It is at work on a stage, or the stage's result is on its way into the database. */
  busy(): void;
  /** It waits for its next try, for the lease, or for another process to take it. */
  idle(): void;
};

/** What workflows of this process are doing, so that the service can stop between two stages. */
export class Activity {
  /** How many executions of a workflow there are: one that was taken over may come back while its former one still ends. */
  readonly #begun = new Map<string, number>();
  readonly #busy = new Set<Execution>();
  readonly #time: Time;

  constructor(time: Time) {
    this.#time = time;
  }

  /** A workflow runs in this process from here to the end of `work`. */
  async during<T>(id: string, work: (execution: Execution) => Promise<T>): Promise<T> {
    const execution: Execution = {
      busy: () => this.#busy.add(execution),
      idle: () => this.#busy.delete(execution),
    };
    this.#begun.set(id, (this.#begun.get(id) ?? 0) + 1);
    try {
      return await work(execution);
    } finally {
      execution.idle();
      const left = (this.#begun.get(id) ?? 1) - 1;
      if (left === 0) this.#begun.delete(id);
      else this.#begun.set(id, left);
    }
  }

  has(id: string): boolean {
    return this.#begun.has(id);
  }

  /** Resolves when nobody is busy, or after so many milliseconds; says whether nobody is. */
  async isQuietWithin(milliseconds: number): Promise<boolean> {
    const deadline = this.#time.monotonic() + milliseconds;
    while (this.#busy.size > 0 && this.#time.monotonic() < deadline) await this.#time.pause(LOOK_MS);
    return this.#busy.size === 0;
  }
}
