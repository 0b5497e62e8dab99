// Loaded before tests of promises, stories and the API: a database or ledger that stands still for some seconds is that other tests' business; these
// ask again, but for what is signed: a signature is good once, so whoever signs asks again.
import { untilAnswered } from './patience.ts';
import { wrapFetch } from './wrapFetch.ts';

wrapFetch('patient', (real) => (target, init) => {
  const ask = () => real(target, init);
  return new Headers(init?.headers).has('signature') ? ask() : untilAnswered(ask);
});
