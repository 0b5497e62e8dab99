import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 250;
const ASKED_AT_MOST = 100;

type Answer = { readonly status: number };
const isBusy = ({ status }: Answer): boolean => status >= 502 && status <= 504;

/**
 * Asks until the answer is none by which a database or ledger is answered for that stands still for some seconds: by default 502, 503 and 504.
 */
export async function untilAnswered<T extends Answer>(
  ask: () => Promise<T>,
  isStandstill: (answer: T) => boolean = isBusy,
): Promise<T> {
  for (let asked = 1; ; asked += 1) {
    const answer = await ask();
    if (!isStandstill(answer) || asked === ASKED_AT_MOST) return answer;
    if (answer instanceof Response) await answer.body?.cancel();
    await sleep(PAUSE_MS);
  }
}
