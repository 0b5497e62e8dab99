import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cellsOf, judged } from '../../bench/row.ts';
import { slope } from '../../bench/statistics.ts';

const positive = fc.double({ min: 1e-3, max: 1e9, noNaN: true });

describe('a row', () => {
  it('meets a goal of its ratio exactly when figure and limit say so', () => {
    fc.assert(
      fc.property(positive, positive, positive, fc.boolean(), (measured, value, bound, isMost) => {
        const ratio = isMost ? { most: bound } : { least: bound };
        const row = judged({ name: 'a', measured, unit: ' s', limit: { value, of: 'b' }, ratio });
        const isMet = isMost ? measured / value <= bound : measured / value >= bound;
        expect(row.verdict).toBe(isMet ? 'met' : 'missed');
      }),
    );
  });

  it('lets what shrinks be at most something', () => {
    expect(judged({ name: 'a', measured: -20, unit: ' MB', goal: { most: 5 } }).verdict).toBe('met');
  });

  it('misses a goal when there is no figure, and is not judged without a goal', () => {
    expect(judged({ name: 'a', measured: Number.NaN, unit: '', goal: { most: 5 } }).verdict).toBe('missed');
    expect(judged({ name: 'a', measured: 5, unit: '' }).verdict).toBeUndefined();
  });

  it('shows figure, limit, goal and verdict in one line', () => {
    const limit = { value: 250, of: 'hashes' };
    const row = judged({ name: 'tree', measured: 300, unit: ' ms', limit, ratio: { most: 1.5 } });
    expect(cellsOf(row)).toEqual(['tree', '300 ms', '250 ms, hashes: 1.2×', '≤ 1.5× the limit', 'met']);
  });
});

describe('growth', () => {
  it('is that of a line, whatever a tenth of its points do', () => {
    const odd = fc.array(positive, { maxLength: 2 });
    fc.assert(
      fc.property(fc.integer({ min: -50, max: 50 }), positive, odd, (rise, from, others) => {
        const points = Array.from({ length: 20 }, (_, x): [number, number] => [x, others[x] ?? from + rise * x]);
        expect(slope(points)).toBeCloseTo(rise, 3);
      }),
    );
  });
});
