import type { EventsReading, RunEvent } from '../../store/queries/runEvents.ts';

/**
 * Takes events in the order of their ids and none too early. An id is drawn before its transaction is committed, so a later id may be
 * seen first; one that is missing will never come once every transaction has ended that had begun to write when a later id was seen.
 */
export class EventOrder {
  /** The last id that was taken: nothing up to it will come any more. */
  position: bigint;
  #gap: { readonly upTo: bigint; readonly begunFrom: bigint } | undefined;

  constructor(position: bigint) {
    this.position = position;
  }

  /** The events of a reading behind `position` that are next. */
  take({ events, doneBelow, begunFrom }: EventsReading): RunEvent[] {
    const taken: RunEvent[] = [];
    const upTo = BigInt(events.at(-1)?.id ?? 0);
    for (const event of events) {
      const id = BigInt(event.id);
      if (id !== this.position + 1n) {
        if (this.#gap === undefined || this.#gap.upTo < id) this.#gap = { upTo, begunFrom };
        if (doneBelow < this.#gap.begunFrom) break;
      }
      this.position = id;
      taken.push(event);
    }
    return taken;
  }
}
