/** More than so many that wait are turned away at once: each holds a connection open. */
const LONGEST_LINE = 256;

/** Places for what may be under way at a time in this process. */
export class AdmissionQueue {
  #taken = 0;
  /** Those who wait for a place, longest first. */
  readonly #line: (() => void)[] = [];

  constructor(
    readonly limit: number,
    private readonly time: Pick<Time, 'after'>,
  ) {}

  get isIdle(): boolean {
    return this.#taken === 0 && this.#line.length === 0;
  }

  /** Takes a place, even beyond the limit, and returns what gives it back, once however often it is called. */
  take(): () => void {
    let isTaken = true;
    this.#taken += 1;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#taken -= 1;
      if (this.#taken < this.limit) this.#line.shift()?.();
    };
  }

  /** Takes a place within the limit as soon as there is one, as `take`; undefined if none is free within so many milliseconds. */
  async wait(milliseconds: number): Promise<(() => void) | undefined> {
    if (this.#taken < this.limit) return this.take();
    if (this.#line.length >= LONGEST_LINE) return undefined;
    return new Promise((resolve) => {
      const onFree = () => {
        timer.cancel();
        resolve(this.take());
      };
      const timer = this.time.after(milliseconds, () => {
        this.#line.splice(this.#line.indexOf(onFree), 1);
        resolve(undefined);
      });
      this.#line.push(onFree);
    });
  }
}

import type { Time } from '@payouts/client';
