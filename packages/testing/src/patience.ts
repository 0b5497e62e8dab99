import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 250;
const ASKED_AT_MOST = 100;

/** Asks until the answer is none of 502, 503 and 504, by which a database or ledger is answered for that stands still for some seconds. */
export async function untilAnswered(ask: () => Promise<Response>): Promise<Response> {
  for (let asked = 1; ; asked += 1) {
    const response = await ask();
    if (response.status < 502 || response.status > 504 || asked === ASKED_AT_MOST) return response;
    await response.body?.cancel();
    await sleep(PAUSE_MS);
  }
}
