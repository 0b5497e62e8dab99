// Loaded before each file of the program's tests. V8 collects by what is in its own heap, and a machine takes megabytes outside of it: those of
// tests that are over would fill the memory. They go in a turn of the event loop, which tests that never wait don't give it.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach } from 'vitest';

/** Tests after which machines that nothing uses are let go. */
const EVERY = 8;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
let tests = 0;

afterEach(async () => {
  tests += 1;
  if (tests % EVERY !== 0) return;
  collect();
  await nextTurn();
});
