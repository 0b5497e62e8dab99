import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { keepChanges } from '../src/runs/changes.ts';
import type { ObservedSchedule } from '../src/store/queries/schedules.ts';

const seen = (address: string, slot: number) => ({ address, seen_slot: String(slot) }) as ObservedSchedule;

/** What is written, with failures and the signal in the test's hands. */
function keeping() {
  const written: string[][] = [];
  const errors: unknown[] = [];
  const stopping = new AbortController();
  const saves = { fail: false };
  const pauses: (() => void)[] = [];
  /** Lets a pause between two writes be over. */
  const goOn = async () => {
    await nextTurn();
    pauses.shift()?.();
    await nextTurn();
  };
  const keep = keepChanges({
    time: { pause: () => new Promise((resolve) => pauses.push(resolve)) },
    save: async (changes) => {
      if (saves.fail) throw new Error('the database is gone');
      written.push(changes.map(({ address, seen_slot }) => `${address}@${seen_slot}`));
    },
    onError: (error) => errors.push(error),
    signal: stopping.signal,
  });
  return { written, errors, stopping, saves, keep, goOn };
}

it('keeps a change at once after a quiet time, and those that follow it together, the newest of each schedule', async () => {
  const { written, keep, goOn } = keeping();
  keep(seen('one', 5));
  for (const [address, slot] of [
    ['two', 6],
    ['one', 7],
    ['two', 9],
    ['two', 8],
    ['three', 8],
  ] as const) {
    keep(seen(address, slot));
  }
  expect(written).toEqual([['one@5']]);
  await goOn();
  expect(written).toEqual([['one@5'], ['two@9', 'one@7', 'three@8']]);
  await goOn();
  keep(seen('one', 10));
  expect(written).toHaveLength(3);
});

it('writes at most 500 at a time, and leaves none out', async () => {
  const { written, keep, goOn } = keeping();
  for (let number = 0; number < 1_201; number++) keep(seen(`schedule-${number}`, 1));
  for (let write = 0; write < 4; write++) await goOn();
  expect(written.map((write) => write.length)).toEqual([1, 500, 500, 200]);
  expect(new Set(written.flat()).size).toBe(1_201);
});

it('goes on after a write that failed, and ends with the signal', async () => {
  const { written, errors, stopping, saves, keep, goOn } = keeping();
  saves.fail = true;
  keep(seen('one', 1));
  await goOn();
  expect(errors).toHaveLength(1);
  saves.fail = false;
  keep(seen('one', 2));
  keep(seen('one', 3));
  expect(written).toEqual([['one@2']]);
  stopping.abort();
  await goOn();
  keep(seen('one', 4));
  await goOn();
  expect(written).toEqual([['one@2']]);
});
