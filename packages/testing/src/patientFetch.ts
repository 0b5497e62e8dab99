// Loaded before tests of promises, stories and the API: a database or ledger that stands still for some seconds is answered 502, 503 or 504, by design.
// That is other tests' business; these ask again, but for what is signed: a signature is good once, so whoever signs asks again.
import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 250;
const ASKED_AT_MOST = 100;

const real = globalThis.fetch;
globalThis.fetch = async (target, init) => {
  if (new Headers(init?.headers).has('signature')) return real(target, init);
  for (let asked = 1; ; asked += 1) {
    const response = await real(target, init);
    if (response.status < 502 || response.status > 504 || asked === ASKED_AT_MOST) return response;
    await response.body?.cancel();
    await sleep(PAUSE_MS);
  }
};
