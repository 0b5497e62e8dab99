import type { Time } from '@payouts/client';
import { Timeline } from './timeline.ts';

const SECOND_MS = 1_000;

/** How often something happened in the last second. */
export class LastSecond {
  readonly #times = new Timeline<true>();

  constructor(private readonly time: Time) {}

  add(): void {
    this.#times.add(this.time.now(), true);
  }

  get count(): number {
    while (this.#times.forget(this.time.now() - SECOND_MS) !== undefined);
    return this.#times.size;
  }
}
