import { countText } from '@payouts/pages/format/amount';
import { durationText } from '@payouts/pages/format/time';
import type { Series } from '../api/types.ts';

/** A plot without its drawing: what is shown, and the same in a sentence for whoever can't see it. */
export type Chart = {
  readonly title: string;
  readonly summary: string;
  readonly kind: 'bars' | 'lines';
  /** Unix seconds. */
  readonly at: readonly number[];
  readonly stepMs: number;
  readonly lines: readonly {
    readonly name: string;
    readonly colour: Colour;
    readonly values: readonly (number | null)[];
  }[];
  readonly unit: 'count' | 'ms';
};

/** Names of the page's own colours, by which a plot follows the theme. */
export type Colour = 'accent' | 'accent-soft' | 'good' | 'warn' | 'bad';

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

const base = ({ buckets, stepMs }: Series) => ({ at: buckets.map(({ at }) => at / 1_000), stepMs });

export function throughputOf(series: Series): Chart {
  const { buckets } = series;
  const claims = sum(buckets.map((bucket) => bucket.claims));
  const settled = sum(buckets.map((bucket) => bucket.settled));
  return {
    ...base(series),
    title: 'Windows settled',
    summary: `${countText(settled, 'window')} with ${countText(claims, 'payment')}.`,
    kind: 'bars',
    unit: 'count',
    lines: [{ name: 'settled', colour: 'accent', values: buckets.map((bucket) => bucket.settled) }],
  };
}

export function latencyOf(series: Series): Chart {
  const { buckets } = series;
  const last = buckets.findLast(({ p50Ms }) => p50Ms !== null);
  const summary =
    last === undefined || last.p50Ms === null
      ? 'No window was settled.'
      : `Last: p50 ${durationText(last.p50Ms)}, p95 ${durationText(last.p95Ms ?? last.p50Ms)}.`;
  return {
    ...base(series),
    title: 'Time to settle',
    summary,
    kind: 'lines',
    unit: 'ms',
    lines: [
      { name: 'p50', colour: 'accent', values: buckets.map(({ p50Ms }) => p50Ms) },
      { name: 'p95', colour: 'accent-soft', values: buckets.map(({ p95Ms }) => p95Ms) },
    ],
  };
}

export function errorsOf(series: Series): Chart {
  const { buckets } = series;
  const codes = new Map<string, number>();
  for (const { errors } of buckets) {
    for (const [code, count] of Object.entries(errors)) codes.set(code, (codes.get(code) ?? 0) + count);
  }
  const [most] = [...codes].sort(([, one], [, other]) => other - one);
  const all = sum([...codes.values()]);
  return {
    ...base(series),
    title: 'Failed attempts',
    summary: most === undefined ? 'None.' : `${countText(all, 'attempt')}, most often ${most[0]}.`,
    kind: 'bars',
    unit: 'count',
    lines: [{ name: 'errors', colour: 'bad', values: buckets.map(({ errors }) => sum(Object.values(errors))) }],
  };
}
