import type { Time } from '@payouts/client/browser';
import type { Ask } from '@payouts/statements';
import { ApiProblem } from '../../api/problem.ts';
import { readPrivate } from '../../api/request.ts';

const TOO_MANY = 429;
const AGAIN_MS = 3_000;

/** Reads as whoever is signed in, as often as the coordinator allows. Its reads throw `ApiProblem`. */
export const patientAsk =
  (time: Time, abort: AbortSignal): Ask =>
  async <T>(path: string): Promise<T> => {
    for (;;) {
      try {
        return await readPrivate<T>(path, abort);
      } catch (error) {
        if (abort.aborted || !(error instanceof ApiProblem) || error.status !== TOO_MANY) throw error;
        await time.pause(AGAIN_MS);
      }
    }
  };
