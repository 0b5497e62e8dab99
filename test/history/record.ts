import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { Answers, Event, History, Name, Questions } from './events.ts';

/** How a call that threw has ended: it has not happened, or nobody knows. */
export type Ending = 'fail' | 'unknown';

/** An event whose time is that of its writing, unless it has one. */
type Unplaced = (Event extends infer E ? (E extends Event ? Omit<E, 'at'> : never) : never) & { readonly at?: number };

/** Milliseconds between two beats of the recorder's own, and by which one is late when the machine has too much to do. */
const BEAT_MS = 250;
const STALLED_MS = 500;

/** Writes down what happens, as it happens: an event is in the file before the call that it is about goes on. */
export class Recorder {
  readonly #events: Event[] = [];
  readonly #file: number;
  readonly #beat: NodeJS.Timeout;
  #operations = 0;

  /** @param path of the file, one event in JSON a line */
  constructor(readonly path: string) {
    this.#file = openSync(path, 'w', 0o600);
    let last = performance.now();
    this.#beat = setInterval(() => {
      const late = performance.now() - last - BEAT_MS;
      last += late + BEAT_MS;
      if (late > STALLED_MS) this.note({ kind: 'fault', fault: 'stall', of: 'machine', phase: 'begin' });
    }, BEAT_MS);
  }

  get history(): History {
    return this.#events;
  }

  /** Operations that have begun. */
  get operations(): number {
    return this.#operations;
  }

  /** @param event at this moment, unless it says when */
  note(event: Unplaced): void {
    const full = { at: performance.now(), ...event } as Event;
    this.#events.push(full);
    writeSync(this.#file, `${JSON.stringify(full)}\n`);
  }

  /**
   * Has a client's call made, and writes down when it began and how it ended.
   *
   * @param endingOf what an error says of the call
   * @returns the answer; undefined if there was none
   */
  async operation<F extends Name>(
    process: string,
    f: F,
    asked: Questions[F],
    call: () => Promise<Answers[F]>,
    endingOf: (error: unknown) => Ending,
  ): Promise<Answers[F] | undefined> {
    const id = this.#operations++;
    this.note({ kind: 'invoke', id, process, f, asked } as Unplaced);
    try {
      const answer = await call();
      this.note({ kind: 'ok', id, answer });
      return answer;
    } catch (error) {
      const { name, code } = error as { name: string; code?: unknown };
      this.note({ kind: endingOf(error), id, error: `${name} ${code ?? ''}`.trim() });
      return undefined;
    }
  }

  close(): void {
    clearInterval(this.#beat);
    closeSync(this.#file);
  }
}

/** Reads a history from its file. */
export const readHistory = (path: string): History =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Event);
