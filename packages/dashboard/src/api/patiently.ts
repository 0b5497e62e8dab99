import type { Time } from '@payouts/client/browser';
import { ApiProblem } from './problem.ts';

const TOO_MANY = 429;
const AGAIN_MS = 3_000;

/** Asks as often as the coordinator allows. Throws `ApiProblem`. */
export async function patiently<T>(time: Time, abort: AbortSignal, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (abort.aborted || !(error instanceof ApiProblem) || error.status !== TOO_MANY) throw error;
      await time.pause(AGAIN_MS);
    }
  }
}
