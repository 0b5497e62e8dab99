import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  addressToBytes,
  bitmapHash,
  bitmapSize,
  countBits,
  isBitSet,
  placeOfWithdrawal,
  unpaidIndexes,
} from '../src/index.ts';
import { randomAddress } from './support.ts';

describe('bitmap', () => {
  it('counts bits from the least significant of each byte', () => {
    const bitmap = Uint8Array.of(0b1000_0001, 0b10);
    expect([0, 1, 7, 8, 9].map((index) => isBitSet(bitmap, index))).toEqual([true, false, true, false, true]);
    expect(countBits(bitmap)).toBe(3);
    expect(unpaidIndexes(bitmap, 10)).toEqual([1, 2, 3, 4, 5, 6, 8]);
    expect([1, 8, 9, 1_048_576].map(bitmapSize)).toEqual([1, 1, 2, 131_072]);
  });

  it('refuses an index beyond it', () => {
    for (const index of [-1, 16, 0.5]) {
      expect(() => isBitSet([0, 0], index)).toThrow(expect.objectContaining({ code: 'INVALID_BITMAP' }));
    }
  });

  it('is hashed with its schedule and window', () => {
    const schedule = randomAddress();
    const window = Buffer.alloc(8);
    window.writeBigUInt64LE(258n);
    const bytes = Buffer.concat([Buffer.of(3), addressToBytes(schedule), window, Buffer.of(1, 2)]);
    const expected = createHash('sha256').update(bytes).digest();
    expect(Buffer.from(bitmapHash({ schedule, window: 258n, bitmap: [1, 2] }))).toEqual(expected);
  });

  it('places a withdrawal’s number', () => {
    expect(placeOfWithdrawal(1n)).toEqual({ page: 0, bit: 1 });
    expect(placeOfWithdrawal(8_192n)).toEqual({ page: 1, bit: 0 });
  });
});
