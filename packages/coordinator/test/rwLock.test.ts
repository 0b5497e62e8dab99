import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { RwLock } from '../src/platform/rwLock.ts';

describe('the gate of a token', () => {
  it('lets many share and one be alone, in the order they came', async () => {
    const gate = new RwLock();
    const events: string[] = [];
    let sharing = 0;
    let most = 0;
    const shared = (name: string) =>
      gate.shared(async () => {
        sharing += 1;
        most = Math.max(most, sharing);
        await sleep(5);
        events.push(name);
        sharing -= 1;
      });
    const alone = (name: string) =>
      gate.alone(async () => {
        expect(sharing).toBe(0);
        await sleep(5);
        expect(sharing).toBe(0);
        events.push(name);
      });
    await Promise.all([shared('a'), shared('b'), alone('c'), alone('d'), shared('e'), shared('f')]);
    expect(events).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(most).toBe(2);
  });

  it('opens again after an error', async () => {
    const gate = new RwLock();
    await expect(gate.alone(() => Promise.reject(new Error('alone')))).rejects.toThrow('alone');
    await expect(gate.shared(() => Promise.reject(new Error('shared')))).rejects.toThrow('shared');
    expect(await gate.alone(async () => 1)).toBe(1);
    expect(await gate.shared(async () => 2)).toBe(2);
  });
});
