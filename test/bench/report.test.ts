import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { summaryTable } from '../../bench/report/summary.ts';
import { svgOf } from '../../bench/report/svg.ts';
import { judged, type Plot } from '../../bench/runner/measure.ts';
import { slope } from '../../bench/runner/statistics.ts';

const positive = fc.double({ min: 1e-3, max: 1e9, noNaN: true });

describe('a row', () => {
  it('meets a goal of its ratio exactly when figure and limit say so', () => {
    fc.assert(
      fc.property(positive, positive, positive, fc.boolean(), (figure, limit, bound, isMost) => {
        const goal = { of: 'ratio', ...(isMost ? { most: bound } : { least: bound }) } as const;
        const row = judged({ id: 'a', measure: 'a', figure, unit: 's', limit, goal });
        const isMet = isMost ? figure / limit <= bound : figure / limit >= bound;
        expect(row.ratio).toBe(figure / limit);
        expect(row.verdict).toBe(isMet ? 'met' : 'missed');
      }),
    );
  });

  it('lets what shrinks be at most something', () => {
    const goal = { of: 'figure', most: 5 } as const;
    expect(judged({ id: 'a', measure: 'a', figure: -20, unit: 'MB', goal }).verdict).toBe('met');
  });

  it('misses a goal when there is no figure, and is not judged without a goal', () => {
    const goal = { of: 'figure', most: 5 } as const;
    expect(judged({ id: 'a', measure: 'a', figure: Number.NaN, unit: '', goal }).verdict).toBe('missed');
    expect(judged({ id: 'a', measure: 'a', figure: 5, unit: '' }).verdict).toBe('–');
  });

  it('shows figure, limit, ratio, goal and verdict in one line', () => {
    const goal = { of: 'ratio', most: 1.5 } as const;
    const row = judged({ id: 'a', measure: 'tree', figure: 300, unit: 'ms', limit: 250, limitName: 'hashes', goal });
    expect(summaryTable([row]).split('\n').at(-1)).toBe('tree     300 ms  250 ms: hashes   1.2×   ≤ 1.5×  met');
  });
});

describe('growth', () => {
  it('is that of a line, whatever a tenth of its points do', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -50, max: 50 }),
        positive,
        fc.array(positive, { maxLength: 2 }),
        (rise, from, odd) => {
          const points = Array.from({ length: 20 }, (_, x): [number, number] => [x, odd[x] ?? from + rise * x]);
          expect(slope(points)).toBeCloseTo(rise, 3);
        },
      ),
    );
  });
});

describe('a plot', () => {
  it('draws every point inside its frame, on any axes', () => {
    const point = fc.tuple(positive, positive);
    fc.assert(
      fc.property(fc.array(point, { minLength: 1, maxLength: 30 }), fc.boolean(), fc.boolean(), (points, x, y) => {
        const plot: Plot = {
          name: 'a',
          title: 'fewer < more & equal',
          x: { label: 'x', isLogarithmic: x },
          y: { label: 'y', isLogarithmic: y },
          lines: [{ name: 'line', points }],
        };
        const svg = svgOf(plot);
        const drawn = /points="([^"]+)"/.exec(svg)?.[1]?.split(' ') ?? [];
        expect(drawn).toHaveLength(points.length);
        for (const pair of drawn) {
          const [left, top] = pair.split(',').map(Number) as [number, number];
          expect(left).toBeGreaterThanOrEqual(80);
          expect(left).toBeLessThanOrEqual(736);
          expect(top).toBeGreaterThanOrEqual(48);
          expect(top).toBeLessThanOrEqual(324);
        }
        expect(svg).toContain('fewer &lt; more &amp; equal');
      }),
    );
  });
});
