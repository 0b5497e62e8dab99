import type { Time } from '../time.ts';

/** Tries, and milliseconds between two. */
const TRIES = 3;
const AGAIN_AFTER_MS = 1_000;

/**
 * Asks again, a second apart and three times in all, while what is thrown is no last word by `isOpen`. Each try is `ask` anew: a signed
 * request is signed again, because the coordinator may have taken the signature of one that it could not answer. Throws what the last try
 * threw.
 */
export async function repeated<T>(
  time: Pick<Time, 'pause'>,
  ask: () => Promise<T>,
  isOpen: (error: unknown) => boolean,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (tries === TRIES || !isOpen(error)) throw error;
      await time.pause(AGAIN_AFTER_MS);
    }
  }
}
