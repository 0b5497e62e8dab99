import type { Time } from '@payouts/client/browser';
import type { Ask } from '@payouts/statements';
import { patiently } from '../../api/patiently.ts';
import { readPrivate } from '../../api/request.ts';

/** Reads as whoever is signed in, as often as the coordinator allows. Its reads throw `ApiProblem`. */
export const patientAsk =
  (time: Time, abort: AbortSignal): Ask =>
  <T>(path: string): Promise<T> =>
    patiently(time, abort, () => readPrivate<T>(path, abort));
