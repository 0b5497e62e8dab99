import type { Time } from '@payouts/client';
import { type LoopContext, runLoop } from '../../platform/loop.ts';
import { type Alive, unwatched } from '../../platform/watchedRound.ts';
import { findEventRange, type RunEvent, readEvents } from '../../store/queries/runEvents.ts';
import type { Db } from '../../store/schema.ts';
import { EventOrder } from './order.ts';

/** Milliseconds between two looks for events, while somebody follows them. */
const EVERY_MS = 250;
/** Milliseconds until the next look when the database did not answer. */
/** Events read at a time. */
const PAGE = 500;
/** Events that are remembered for those who are a little behind. */
const REMEMBERED = 1_000;

/** The signal ends all who follow. */
export type FeedInput = LoopContext & {
  readonly database: Db;
  readonly time: Time;
};

/** What somebody who follows is given: events, none for a while, or that what came before can't be told any more. */
export type EventBatch = { readonly events: readonly RunEvent[]; readonly position: bigint; readonly isReset: boolean };

type Place = { readonly order: EventOrder; readonly recent: RunEvent[]; from: bigint };

/** The events of runs and schedules in order, of all processes on the database. One look at a time, however many follow, and none if nobody does. */
export class EventFeed {
  #followers = 0;
  #place: Promise<Place> | undefined;
  readonly #waiting = new Set<() => void>();

  constructor(private readonly input: FeedInput) {}

  /**
   * Events behind an id, then those that happen, and nothing every `quietMs`; without an id, those that happen. The reader sets the pace:
   * whoever is slow is given pages out of the database. Ends with the signal.
   */
  async *follow(after: bigint | undefined, quietMs: number, signal: AbortSignal): AsyncGenerator<EventBatch> {
    const { database } = this.input;
    const ended = AbortSignal.any([signal, this.input.signal]);
    this.#followers += 1;
    try {
      const place = await this.#begun();
      let at = after ?? place.order.position;
      const { first, last } = await findEventRange(database);
      const isReset = after !== undefined && (after + 1n < first || after > last);
      if (isReset) at = place.order.position;
      yield { events: [], position: at, isReset };
      while (!ended.aborted) {
        const { position } = place.order;
        if (at >= position) {
          const isQuiet = await this.#next(quietMs, ended);
          if (isQuiet && !ended.aborted) yield { events: [], position: at, isReset: false };
          continue;
        }
        const found = at < place.from ? (await readEvents(database, at, PAGE)).events : place.recent;
        const events = found.filter(({ id }) => BigInt(id) > at && BigInt(id) <= position);
        at = at < place.from && found.length === PAGE ? BigInt(events.at(-1)?.id ?? position) : position;
        yield { events, position: at, isReset: false };
      }
    } finally {
      this.#followers -= 1;
    }
  }

  /** Where the looks are; begins them if nobody has followed so far. */
  #begun(): Promise<Place> {
    this.#place ??= this.#begin().catch((error: unknown) => {
      this.#place = undefined;
      throw error;
    });
    return this.#place;
  }

  async #begin(): Promise<Place> {
    const { first, last } = await findEventRange(this.input.database);
    const before = last - BigInt(REMEMBERED);
    const from = before > first ? before : first === 0n ? 0n : first - 1n;
    const place = { order: new EventOrder(from), recent: [], from };
    await this.#look(place, unwatched);
    void this.#keepLooking(place);
    return place;
  }

  async #keepLooking(place: Place): Promise<void> {
    const unfollowed = new AbortController();
    const signal = AbortSignal.any([this.input.signal, unfollowed.signal]);
    await runLoop({ ...this.input, name: 'events', signal }, async (alive) => {
      if (this.#followers > 0) {
        await this.#look(place, alive);
      } else {
        this.#place = undefined;
        unfollowed.abort();
      }
      return EVERY_MS;
    });
    this.#tell();
  }

  async #look(place: Place, alive: Alive): Promise<void> {
    for (;;) {
      const reading = await readEvents(this.input.database, place.order.position, PAGE);
      alive();
      const taken = place.order.take(reading);
      place.recent.push(...taken);
      const over = place.recent.length - REMEMBERED;
      if (over > REMEMBERED) place.from = BigInt((place.recent.splice(0, over).at(-1) as RunEvent).id);
      if (taken.length > 0) this.#tell();
      if (taken.length < PAGE) return;
    }
  }

  #tell(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Resolves when something was taken, or to true when nothing was for so long. */
  #next(quietMs: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (isQuiet: boolean) => {
        timer.cancel();
        signal.removeEventListener('abort', abort);
        this.#waiting.delete(wake);
        resolve(isQuiet);
      };
      const abort = () => done(true);
      const wake = () => done(false);
      const timer = this.input.time.after(quietMs, () => done(true));
      signal.addEventListener('abort', abort);
      this.#waiting.add(wake);
      if (signal.aborted) abort();
    });
  }
}
