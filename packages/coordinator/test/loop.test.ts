import { manualTime } from '@payouts/testing/manualTime';
import { expect, it } from 'vitest';
import { runLoop } from '../src/platform/loop.ts';
import { createMetrics } from '../src/platform/metrics.ts';
import { deferred } from './support/deferred.ts';
import { keptLog } from './support/log.ts';

const START = 1_800_000_000_000;
const RETRY_MS = 500;

/** A loop whose steps are given; what it logs, and when it last succeeded, in seconds since the start. */
function looping(step: (now: number) => Promise<number>, onFailure?: () => unknown) {
  const time = manualTime(START);
  const metrics = createMetrics();
  const ending = new AbortController();
  const { log, lines } = keptLog(time);
  const input = { name: 'polls', retryMs: RETRY_MS, time, log, metrics, signal: ending.signal } as const;
  const ended = runLoop({ ...input, ...(onFailure && { onFailure }) }, () => step(time.now() - START));
  return {
    time,
    ended,
    end: () => ending.abort(),
    said: () => lines().map(({ level, msg, loop, error, failures }) => ({ level, msg, loop, error, failures })),
    succeededAt: async () => {
      const { values } = await metrics.loopSucceededAt.get();
      return values.map(({ labels, value }) => [labels.loop, value - START / 1_000]);
    },
  };
}

it('repeats its step after the time that the step says', async () => {
  const at: number[] = [];
  const loop = looping(async (now) => {
    at.push(now);
    return at.length * 1_000;
  });
  await loop.time.advance(6_000);
  expect(at).toEqual([0, 1_000, 3_000, 6_000]);
  expect(await loop.succeededAt()).toEqual([['polls', 6]]);
});

it('outlives an outage, which it logs once, and says when it works again', async () => {
  let steps = 0;
  let failures = 0;
  const loop = looping(
    async () => {
      steps += 1;
      if (steps >= 2 && steps <= 4) throw new TypeError('the database is gone');
      return 1_000;
    },
    () => {
      failures += 1;
    },
  );
  await loop.time.advance(2_000);
  expect([steps, failures]).toEqual([4, 3]);
  expect(await loop.succeededAt()).toEqual([['polls', 0]]);
  await loop.time.advance(RETRY_MS);
  const [warn, info] = [40, 30];
  expect(loop.said()).toEqual([
    { level: warn, msg: 'loop failed; retrying', loop: 'polls', error: 'TypeError', failures: undefined },
    { level: info, msg: 'loop works again', loop: 'polls', error: undefined, failures: 3 },
  ]);
  expect(await loop.succeededAt()).toEqual([['polls', 2.5]]);
});

it('shows one that never succeeds by the time of its start', async () => {
  const loop = looping(() => new Promise(() => {}));
  await loop.time.advance(60_000);
  expect(await loop.succeededAt()).toEqual([['polls', 0]]);
});

it('ends with the signal, once its step has ended, and is shown no more', async () => {
  const step = deferred<number>();
  const loop = looping(() => step.promise);
  let hasEnded = false;
  void loop.ended.then(() => {
    hasEnded = true;
  });
  loop.end();
  await loop.time.advance(0);
  expect(hasEnded).toBe(false);
  step.reject(new Error('broken off'));
  await loop.ended;
  expect(loop.said()).toEqual([]);
  expect(await loop.succeededAt()).toEqual([]);
});
