import type { Time, Timer } from '@payouts/client';
import type { Random } from '@payouts/testing/random';
import { RunError } from '../../../src/domain/errors.ts';
import type { Events } from '../events.ts';
import type { Fate, Part, Weather } from './weather.ts';

export type LifeInput = {
  readonly name: string;
  readonly events: Events;
  readonly random: Random;
  readonly weather: Weather;
  /** Milliseconds by which its clock is ahead. */
  readonly skewMs: number;
};

type Pause = { readonly signal: AbortSignal | undefined; readonly reject: (reason: unknown) => void };

/** The database is gone: as a driver says it. */
const databaseGone = () => Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });

/**
 * One life of a simulated process, from its start to its end. It may be frozen for a while. Once it is dead nothing that it has begun
 * goes on: its pauses and calls never end.
 */
export class Life {
  readonly name: string;
  readonly time: Time;
  readonly draining = new AbortController();
  readonly stopping = new AbortController();
  readonly #pauses = new Set<Pause>();
  #isDead = false;
  /** What is to reach it once it thaws; undefined: it is not frozen. */
  #backlog: (() => void)[] | undefined;

  constructor(private readonly input: LifeInput) {
    const { events, random, skewMs } = input;
    this.name = input.name;
    this.time = {
      now: () => events.now + skewMs,
      monotonic: () => events.now,
      pause: (milliseconds, signal) => this.#pause(milliseconds, signal),
      after: (milliseconds, call) => this.#after(milliseconds, call),
      every: (milliseconds, call) => this.#every(milliseconds, call),
      random: () => random.u32() / 0x1_0000_0000,
    };
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  get isFrozen(): boolean {
    return this.#backlog !== undefined;
  }

  /** Ends at once, wherever it is. */
  die(): void {
    this.#isDead = true;
    this.#backlog = undefined;
    this.#pauses.clear();
  }

  freeze(): void {
    this.#backlog ??= [];
  }

  /** Goes on with whatever has reached it meanwhile. */
  thaw(): void {
    const backlog = this.#backlog ?? [];
    this.#backlog = undefined;
    for (const act of backlog) this.input.events.after(0, () => this.deliver(act));
  }

  /** No further stage may begin; then what is under way breaks off. */
  abort(which: 'draining' | 'stopping'): void {
    this[which].abort();
    for (const pause of this.#pauses) {
      if (!pause.signal?.aborted) continue;
      this.#pauses.delete(pause);
      pause.reject(pause.signal.reason);
    }
  }

  /** Lets something happen in this process, if it still lives, or when it thaws. */
  deliver(act: () => void): void {
    if (this.#isDead) return;
    if (this.#backlog === undefined) act();
    else this.#backlog.push(act);
  }

  /** Asks a part for something. Throws as the service's own ports do when it is gone. */
  call<T>(part: Part, ask: (fate: Fate) => T | Promise<T>): Promise<T> {
    const { events, random, weather } = this.input;
    return new Promise((resolve, reject) => {
      const fate = weather.fate(part);
      events.after(fate.takes, () => {
        // What a process asked for as it died may have arrived or not.
        if (this.#isDead && random.chance(0.5)) return;
        const isGone = weather.isGone(part);
        if (isGone) weather.countGone();
        if (isGone || fate.fault === 'unasked') return this.deliver(() => reject(unavailable(part)));
        const answer = (deliver: () => void) =>
          this.deliver(fate.fault === 'unanswered' ? () => reject(unavailable(part)) : deliver);
        const refuse = (error: unknown) => answer(() => reject(error));
        try {
          const result = ask(fate);
          if (result instanceof Promise) result.then((value) => answer(() => resolve(value)), refuse);
          else answer(() => resolve(result));
        } catch (error) {
          refuse(error);
        }
      });
    });
  }

  #after(milliseconds: number, call: () => void): Timer {
    let isOn = true;
    this.input.events.after(milliseconds, () => {
      this.deliver(() => {
        if (isOn) call();
      });
    });
    return {
      cancel: () => {
        isOn = false;
      },
    };
  }

  #every(milliseconds: number, call: () => void): Timer {
    const again = () => {
      timer = this.#after(milliseconds, again);
      call();
    };
    let timer = this.#after(milliseconds, again);
    return { cancel: () => timer.cancel() };
  }

  #pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const pause = { signal, reject };
      this.#pauses.add(pause);
      this.input.events.after(milliseconds, () => {
        this.deliver(() => {
          if (this.#pauses.delete(pause)) resolve();
        });
      });
    });
  }
}

function unavailable(part: Part): Error {
  if (part === 'database') return databaseGone();
  return new RunError(part === 'base' ? 'ledger-unavailable' : 'layer-unavailable', `The ${part} does not answer.`);
}
