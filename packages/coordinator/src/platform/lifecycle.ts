import { setMaxListeners } from 'node:events';
import type { Time } from '@payouts/client';
import { withTimeout } from './withTimeout.ts';

/** The reason of both signals. */
const STOPS = 'The service stops.';

/**
 * How the service ends, in three steps: nothing new is begun (`draining`); what is under way may end within the grace time, or is
 * broken off (`stopping`); then everything is closed, last what was opened first.
 */
export class Lifecycle {
  readonly #draining = new AbortController();
  readonly #stopping = new AbortController();
  readonly #endings: (() => Promise<unknown>)[] = [];
  readonly #closings: (() => Promise<unknown>)[] = [];
  readonly #graceMs: number;
  readonly #time: Pick<Time, 'pause'>;
  #stopped: Promise<boolean> | undefined;

  constructor(graceMs: number, time: Pick<Time, 'pause'>) {
    this.#graceMs = graceMs;
    this.#time = time;
    // Everything that waits listens to them: many claims, calls and loops at a time.
    setMaxListeners(0, this.draining, this.stopping);
  }

  /** Aborts when nothing new may begin. */
  get draining(): AbortSignal {
    return this.#draining.signal;
  }

  /** Aborts when what is under way must break off. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Work that ends by itself once `draining` is given; the grace time waits for it. */
  whileDraining(ending: () => Promise<unknown>): void {
    this.#endings.push(ending);
  }

  /** Something to close when nothing is under way any more. */
  atEnd(closing: () => Promise<unknown>): void {
    this.#closings.push(closing);
  }

  /** Ends everything in order; false if something had to be broken off. Safe to call twice. */
  stop(): Promise<boolean> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<boolean> {
    const reason = () => new DOMException(STOPS, 'AbortError');
    this.#draining.abort(reason());
    const ended = Promise.allSettled(this.#endings.map((ending) => ending())).then(() => true);
    const isComplete = (await withTimeout(this.#time, this.#graceMs, ended)) === true;
    this.#stopping.abort(reason());
    for (const close of this.#closings.reverse()) await close();
    return isComplete;
  }
}
