import { manualTime } from '@payouts/testing/manualTime';
import { expect, it } from 'vitest';
import { runLoop } from '../src/platform/loop.ts';
import { createMetrics } from '../src/platform/metrics.ts';
import type { Alive } from '../src/platform/watchedRound.ts';
import { deferred } from './support/deferred.ts';
import { keptLog } from './support/log.ts';

const START = 1_800_000_000_000;

/** A loop whose steps are given; what it logs, and when it last succeeded, in seconds since the start. */
function looping(step: (now: number, alive: Alive) => Promise<number>, onFailure?: () => unknown) {
  const time = manualTime(START);
  const metrics = createMetrics();
  const ending = new AbortController();
  const { log, lines } = keptLog(time);
  const input = { name: 'polls', time, log, metrics, signal: ending.signal } as const;
  const ended = runLoop({ ...input, ...(onFailure && { onFailure }) }, (alive) => step(time.now() - START, alive));
  const shown = async (gauge: 'loopSucceededAt' | 'loopDueAt') => {
    const { values } = await metrics[gauge].get();
    return values.map(({ labels, value }) => [labels.loop, value - START / 1_000]);
  };
  return {
    time,
    ended,
    end: () => ending.abort(),
    said: () => lines().map(({ level, msg, loop, error, failures }) => ({ level, msg, loop, error, failures })),
    succeededAt: () => shown('loopSucceededAt'),
    dueAt: () => shown('loopDueAt'),
    /** Whether the alert's condition holds. */
    isLate: async () => (await shown('loopDueAt')).some(([, due]) => (time.now() - START) / 1_000 > Number(due)),
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
  // At one second, and 0.5, 1 and 2 seconds after that.
  await loop.time.advance(4_499);
  expect([steps, failures]).toEqual([4, 3]);
  expect(await loop.succeededAt()).toEqual([['polls', 0]]);
  expect(await loop.isLate()).toBe(true);
  await loop.time.advance(1);
  expect(await loop.isLate()).toBe(false);
  const [warn, info] = [40, 30];
  expect(loop.said()).toEqual([
    { level: warn, msg: 'loop failed; retrying', loop: 'polls', error: 'TypeError', failures: undefined },
    { level: info, msg: 'loop works again', loop: 'polls', error: undefined, failures: 3 },
  ]);
  expect(await loop.succeededAt()).toEqual([['polls', 4.5]]);
});

it('repeats what fails for long every few seconds', async () => {
  const at: number[] = [];
  const loop = looping(async (now) => {
    at.push(now);
    throw new Error('no');
  });
  await loop.time.advance(20_000);
  expect(at).toEqual([0, 500, 1_500, 3_500, 7_500, 11_500, 15_500, 19_500]);
  loop.end();
  await loop.ended;
});

it('gives up a round that is never answered, and works again within half a minute', async () => {
  let rounds = 0;
  let late: Alive | undefined;
  const loop = looping((_, alive) => {
    rounds += 1;
    if (rounds > 1) return Promise.resolve(60_000);
    late = alive;
    return new Promise(() => {});
  });
  await loop.time.advance(25_000);
  expect([rounds, await loop.succeededAt()]).toEqual([1, [['polls', 0]]]);
  await loop.time.advance(1);
  expect(await loop.isLate()).toBe(true);
  await loop.time.advance(4_999);
  expect([rounds, await loop.isLate()]).toEqual([2, false]);
  // Should it be answered after all, it does nothing more.
  expect(() => late?.()).toThrow('It was silent for too long.');
  expect(late?.signal.aborted).toBe(true);
  expect(loop.said().map(({ msg }) => msg)).toEqual(['loop silent; its round is given up', 'loop works again']);
});

it('lets a round take long that says that it is at work', async () => {
  const loop = looping(async (_, alive) => {
    await Promise.resolve();
    for (let part = 0; part < 10; part++) {
      alive();
      await loop.time.pause(20_000);
    }
    alive(90_000);
    await loop.time.pause(50_000);
    // What was allowed for longer stands.
    alive();
    await loop.time.pause(35_000);
    return 1_000;
  });
  await loop.time.advance(285_000);
  expect(await loop.succeededAt()).toEqual([['polls', 285]]);
  expect(await loop.dueAt()).toEqual([['polls', 285 + 1 + 25]]);
  expect(loop.said()).toEqual([]);
});

it('outlives what is done about a failure, if that fails or is never answered itself', async () => {
  let steps = 0;
  const outcomes: (() => Promise<unknown>)[] = [() => Promise.reject(new Error('no')), () => new Promise(() => {})];
  const loop = looping(
    async () => {
      steps += 1;
      if (steps < 3) throw new Error('no');
      return 60_000;
    },
    () => outcomes.shift()?.(),
  );
  await loop.time.advance(30_000);
  expect([steps, await loop.isLate()]).toEqual([3, false]);
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
  expect(await loop.dueAt()).toEqual([]);
});
