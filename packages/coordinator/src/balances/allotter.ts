import { RunError } from '../domain/errors.ts';
import { DecryptionFailed } from '../store/crypto/cipher.ts';
import { WrongPayloadKey } from '../store/crypto/payloadKeys.ts';
import type { Allotted, AllottedList } from '../store/queries/slots.ts';

/** Lists that get their places together, and recipients of these from which on no further one is taken. */
const MOST_LISTS = 256;
const ENOUGH_RECIPIENTS = 100_000;

/** Gives lists their places together. */
export type Allot = (lists: readonly AllottedList[]) => Promise<Allotted>;

/** The places of a list in order of index, and the number from which on pages were begun for them. */
export type GivenPlaces = { readonly places: Uint32Array; readonly from: number };

type Waiting = {
  readonly list: AllottedList;
  readonly given: (given: GivenPlaces) => void;
  readonly failed: (error: unknown) => void;
};

/** Errors that may be about one of the lists. */
const isAboutAList = (error: unknown): boolean =>
  error instanceof RunError || error instanceof WrongPayloadKey || error instanceof DecryptionFailed;

/**
 * Has the balances of one token's lists given their places. To give them takes a look at everybody who has one, and one at a time may do so:
 * lists that come meanwhile get theirs together. On a payday thousands do.
 */
export class Allotter {
  readonly #waiting: Waiting[] = [];
  #isAtWork = false;

  constructor(private readonly allot: Allot) {}

  /** Throws what giving places throws; another list's trouble is none of this one's. */
  placesFor(list: AllottedList): Promise<GivenPlaces> {
    return new Promise((given, failed) => {
      this.#waiting.push({ list, given, failed });
      if (!this.#isAtWork) void this.#allotAll();
    });
  }

  async #allotAll(): Promise<void> {
    this.#isAtWork = true;
    while (this.#waiting.length > 0) await this.#allotSome(this.#take());
    this.#isAtWork = false;
  }

  /** Those who have waited longest; always one. */
  #take(): readonly Waiting[] {
    let lists = 0;
    for (let recipients = 0; lists < MOST_LISTS && recipients < ENOUGH_RECIPIENTS; lists++) {
      const next = this.#waiting[lists];
      if (next === undefined) break;
      recipients += next.list.list.recipients;
    }
    return this.#waiting.splice(0, lists);
  }

  async #allotSome(some: readonly Waiting[]): Promise<void> {
    try {
      const { places, from } = await this.allot(some.map(({ list }) => list));
      for (const [at, { given }] of some.entries()) given({ places: places[at] as Uint32Array, from });
    } catch (error) {
      if (some.length > 1 && isAboutAList(error)) {
        for (const one of some) await this.#allotSome([one]);
        return;
      }
      for (const { failed } of some) failed(error);
    }
  }
}
