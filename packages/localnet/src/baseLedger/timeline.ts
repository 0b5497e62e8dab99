/** Forgotten entries at the front are let go of once there are so many, and as many as are left. */
const LET_GO_FROM = 64;

interface Entry<T> {
  readonly at: number;
  readonly what: T;
}

/** What happened, in order, and when; the oldest is forgotten first. */
export class Timeline<T> {
  #entries: Entry<T>[] = [];
  #first = 0;

  get size(): number {
    return this.#entries.length - this.#first;
  }

  /** Notes what happens at an instant; a clock that was set back counts as one that stands. */
  add(at: number, what: T): void {
    this.#entries.push({ at: Math.max(at, this.#entries.at(-1)?.at ?? at), what });
  }

  /** Forgets the oldest if it happened at an instant or before, and returns what it was. */
  forget(upTo: number): T | undefined {
    const oldest = this.#entries[this.#first];
    if (oldest === undefined || oldest.at > upTo) return undefined;
    this.#forgetTo(this.#first + 1);
    return oldest.what;
  }

  /** Forgets all that happened before the newest that `upTo` finds. */
  forgetBefore(instant: number): void {
    this.#forgetTo(Math.max(this.#first, this.#firstAfter(instant) - 1));
  }

  /** The newest that happened at an instant or before; undefined: there is none. */
  upTo(instant: number): T | undefined {
    const place = this.#firstAfter(instant) - 1;
    return place < this.#first ? undefined : this.#entries[place]?.what;
  }

  /** The oldest that happened after an instant, and when; undefined: there is none. */
  after(instant: number): Entry<T> | undefined {
    return this.#entries[this.#firstAfter(instant)];
  }

  #forgetTo(place: number): void {
    this.#first = place;
    if (place < LET_GO_FROM || place < this.size) return;
    this.#entries = this.#entries.slice(place);
    this.#first = 0;
  }

  #firstAfter(instant: number): number {
    let [low, high] = [this.#first, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle] as Entry<T>).at > instant) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
