import type { Random } from '@payouts/testing/random';

type Planned = { readonly at: number; readonly tie: number; readonly act: () => void };

/** Events between two turns of the event loop, in which the program's own output and signals are served. */
const EVENTS_IN_A_TURN = 2_000;

const isBefore = (a: Planned, b: Planned): boolean => a.at < b.at || (a.at === b.at && a.tie < b.tie);

/**
 * A clock that stands still while anything is done, and the events that are to come: in order of time, ties by seed. The next event
 * begins when all that followed from the last one has ended, so nothing but the seed decides what comes first.
 */
export class Events {
  readonly #random: Random;
  readonly #heap: Planned[] = [];
  #now: number;
  #count = 0;

  /** `now` in unix milliseconds. */
  constructor(random: Random, now: number) {
    this.#random = random;
    this.#now = now;
  }

  /** Unix milliseconds. */
  get now(): number {
    return this.#now;
  }

  /** How many events there have been. */
  get count(): number {
    return this.#count;
  }

  /** Plans something, in so many milliseconds. */
  after(milliseconds: number, act: () => void): void {
    this.#push({ at: this.#now + Math.max(0, Math.round(milliseconds)), tie: this.#random.u32(), act });
  }

  /** Lets events happen until `isOver`, or until none is left. Throws what an event throws. */
  run(isOver: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const step = () => {
        try {
          const next = isOver() ? undefined : this.#pop();
          if (next === undefined) return resolve();
          this.#now = next.at;
          this.#count += 1;
          next.act();
        } catch (error) {
          return reject(error);
        }

        if (this.#count % EVENTS_IN_A_TURN === 0) setImmediate(step);
        // A tick that a microtask asks for comes when there is no microtask left.
        else queueMicrotask(() => process.nextTick(step));
      };
      setImmediate(step);
    });
  }

  #push(planned: Planned): void {
    const heap = this.#heap;
    let place = heap.length;
    heap.push(planned);
    while (place > 0) {
      const above = (place - 1) >> 1;
      const other = heap[above] as Planned;
      if (!isBefore(planned, other)) break;
      heap[place] = other;
      place = above;
    }
    heap[place] = planned;
  }

  #pop(): Planned | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isBefore(heap[below + 1] as Planned, heap[below] as Planned)) below += 1;
      const other = heap[below] as Planned;
      if (!isBefore(other, last)) break;
      heap[place] = other;
      place = below;
    }
    heap[place] = last;
    return first;
  }
}
