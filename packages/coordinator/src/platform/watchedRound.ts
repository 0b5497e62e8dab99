import type { Time } from '@payouts/client';

/** Milliseconds that a round may say nothing: two tries of a ledger's read, and longer than any query to the database may take. */
export const SILENT_MS = 25_000;

/** A round said nothing for too long. */
export class RoundSilent extends Error {
  override readonly name = 'RoundSilent';
}

/**
 * Says that a round is at work and may be silent for so many milliseconds from now; what was allowed for longer stands. Throws `RoundSilent`
 * once the round was given up, so that one which comes back to life does nothing more.
 */
export type Alive = ((milliseconds?: number) => void) & {
  /** Aborts when the round is given up. */
  readonly signal: AbortSignal;
};

/** For work that nobody watches. */
export const unwatched: Alive = Object.assign(() => {}, { signal: new AbortController().signal });

/** What a round gives. It is given up when it is silent for longer than it said. */
export async function watched<T>(
  time: Pick<Time, 'monotonic' | 'after'>,
  round: (alive: Alive) => Promise<T>,
  onAlive: (milliseconds: number) => void = () => {},
): Promise<T> {
  const silence = new AbortController();
  const { signal } = silence;
  let deadline = time.monotonic() + SILENT_MS;
  let timer = time.after(SILENT_MS, look);
  function look(): void {
    const left = deadline - time.monotonic();
    if (left > 0) timer = time.after(left, look);
    else silence.abort(new RoundSilent('It was silent for too long.'));
  }
  const alive = (milliseconds = SILENT_MS) => {
    signal.throwIfAborted();
    deadline = Math.max(deadline, time.monotonic() + milliseconds);
    onAlive(deadline - time.monotonic());
  };
  const silent = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
  try {
    return await Promise.race([round(Object.assign(alive, { signal })), silent]);
  } finally {
    timer.cancel();
  }
}
