import { nextTurn } from '../nextTurn.ts';
import type { Time } from '../time.ts';

/** Milliseconds that a request waits for more callers while another of its kind is under way; else it waits for the turn's end. */
const JOIN_MS = 10;

/** A request that has not been sent yet, and the place of everything asked for in it. */
type Open<Key, Answer> = {
  readonly places: Map<Key, number>;
  readonly answer: Promise<Answer>;
  readonly send: () => void;
};

/** Input of `Merging`: how many keys a request has at most, and how it is made. */
export type MergingInput<Key, Answer> = {
  readonly most: number;
  readonly ask: (keys: readonly Key[]) => Promise<Answer>;
  /** The part of an answer at these places. */
  readonly pick: (answer: Answer, places: readonly number[]) => Answer;
  /** Told of each call that needed no request of its own. */
  readonly onJoined?: () => void;
  readonly time: Time;
};

function sizeWith<Key>(places: ReadonlyMap<Key, number>, keys: readonly Key[]): number {
  return places.size + new Set(keys.filter((key) => !places.has(key))).size;
}

/**
 * Puts calls made at about the same time into one request. A call never joins a request that has been sent, so what it is
 * answered was read after it was made; and all it asks for is in one request, so that it is of one moment.
 */
export class Merging<Key, Answer> {
  #open: Open<Key, Answer> | undefined;
  #underWay = 0;

  constructor(private readonly input: MergingInput<Key, Answer>) {}

  /** Throws what the request throws that it becomes part of. */
  async call(keys: readonly Key[]): Promise<Answer> {
    const { most, pick, onJoined } = this.input;
    const found = this.#open;
    const fits = found !== undefined && sizeWith(found.places, keys) <= most;
    if (fits) onJoined?.();
    else found?.send();
    const request = fits ? found : this.#begin();
    const places = keys.map((key) => {
      const place = request.places.get(key) ?? request.places.size;
      request.places.set(key, place);
      return place;
    });
    if (request.places.size >= most) request.send();
    return pick(await request.answer, places);
  }

  #begin(): Open<Key, Answer> {
    const places = new Map<Key, number>();
    let leave = (): void => {};
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const request = {
      places,
      answer: left.then(() => this.#ask([...places.keys()])),
      send: () => {
        if (this.#open === request) this.#open = undefined;
        leave();
      },
    };
    this.#open = request;
    // A pause keeps the process alive: a command that has nothing else to do would end here.
    const company = this.#underWay > 0 ? this.input.time.pause(JOIN_MS) : nextTurn();
    void company.then(request.send);
    return request;
  }

  async #ask(keys: readonly Key[]): Promise<Answer> {
    this.#underWay += 1;
    try {
      return await this.input.ask(keys);
    } finally {
      this.#underWay -= 1;
    }
  }
}
