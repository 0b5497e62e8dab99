import { manualTime } from '@payouts/testing/manualTime';
import { describe, expect, it } from 'vitest';
import { systemTime, timeoutSignal } from '../src/time.ts';

describe.each([
  ["the machine's time", () => ({ ...systemTime, turn: (ms: number) => systemTime.pause(ms) })],
  [
    "a test's time",
    () => {
      const time = manualTime();
      return { ...time, turn: (ms: number) => time.advance(ms) };
    },
  ],
])('%s', (_name, start) => {
  it('waits, and counts what it waited', async () => {
    const time = start();
    const began = { now: time.now(), monotonic: time.monotonic() };
    const waiting = time.pause(20);
    await time.turn(30);
    await waiting;
    expect(time.now() - began.now).toBeGreaterThanOrEqual(19);
    expect(time.monotonic() - began.monotonic).toBeGreaterThanOrEqual(19);
  });

  it('waits no longer than its signal lets it', async () => {
    const time = start();
    const controller = new AbortController();
    const waiting = time.pause(3_600_000, controller.signal);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(time.pause(1, controller.signal)).rejects.toThrow('enough');
  });

  it('calls once or again and again, until the call is taken back', async () => {
    const time = start();
    const calls: string[] = [];
    time.after(10, () => calls.push('once'));
    time.after(10, () => calls.push('never')).cancel();
    const every = time.every(15, () => {
      calls.push('again');
      if (calls.length === 3) every.cancel();
    });
    await time.turn(25);
    await time.turn(25);
    await time.turn(50);
    expect(calls).toEqual(['once', 'again', 'again']);
  });

  it('ends what takes too long', async () => {
    const time = start();
    const signal = timeoutSignal(time, 10);
    expect(signal.aborted).toBe(false);
    await time.turn(20);
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });
});
