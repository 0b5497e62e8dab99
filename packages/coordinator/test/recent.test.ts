import { type ManualTime, manualTime } from '@payouts/testing/manualTime';
import { beforeEach, expect, it } from 'vitest';
import { Recent } from '../src/platform/recent.ts';

let time: ManualTime;

beforeEach(() => {
  time = manualTime();
});

/** Something whose readings take so long and are numbered; one of them fails. */
function counted(takesMs: number, failing?: number) {
  let readings = 0;
  const recent = new Recent(async () => {
    const number = ++readings;
    await time.pause(takesMs);
    if (number === failing) throw new Error(`reading ${number} failed`);
    return number;
  }, time);
  const ask = async () => {
    const asked = recent.get();
    await time.advance(0);
    return asked;
  };
  return { recent, ask, readings: () => readings };
}

const pass = (milliseconds: number) => time.advance(milliseconds);

it('is read once, however many ask at the same time', async () => {
  const { recent, readings } = counted(100);
  const asked = Promise.all([recent.get(), recent.get(), recent.get()]);
  await pass(100);
  expect([await asked, readings()]).toEqual([[1, 1, 1], 1]);
});

it('is read for a twentieth of the time at most, and nobody waits for a further reading', async () => {
  const { recent, ask, readings } = counted(100);
  const first = recent.get();
  await pass(100);
  await first;
  await pass(1_999);
  expect([await ask(), readings()]).toEqual([1, 1]);
  await pass(2);
  expect([await ask(), readings()]).toEqual([1, 2]);
  await pass(100);
  expect([await ask(), readings()]).toEqual([2, 2]);
});

it('is waited for when the last reading is old, and when there is none', async () => {
  const { recent } = counted(10);
  const first = recent.get();
  await pass(10);
  await first;
  await pass(30_000);
  const second = recent.get();
  await pass(10);
  expect(await second).toBe(2);
});

it('fails for those who waited, and is read anew for the next', async () => {
  const { recent } = counted(10, 1);
  const first = expect(recent.get()).rejects.toThrow('reading 1 failed');
  await pass(10);
  await first;
  const second = recent.get();
  await pass(10);
  expect(await second).toBe(2);
});
