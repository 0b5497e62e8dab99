import { systemTime } from '@payouts/client';
import { startPostgres } from '@payouts/testing/services';
import { measurePolls } from './poll/rounds.ts';
import { judged, type Measure } from './runner/measure.ts';
import { count, counts } from './runner/options.ts';
import { median, quantile } from './runner/statistics.ts';

/** What polls over so many schedules took, in milliseconds. */
type Size = { schedules: number; p50: number; p95: number; found: number; query: number; tableBytes: number };
type Options = { readonly schedules: readonly number[]; readonly due: number; readonly rounds: number };

/**
 * Included is everything a poll does in database and process: due and stale schedules found, decoded and kept, runs recorded and put in the
 * engine's line. The ledger answers from memory.
 */
export const poll: Measure<Options> = {
  name: 'poll',
  what: 'One look for due schedules on PostgreSQL beside the bare query for them, by the number of registered ones.',
  minutes: 1.5,
  options: (command) =>
    command
      .option('--schedules <n,...>', 'registered schedules', counts, [1_000, 10_000, 100_000])
      .option('--due <n>', 'due ones of them', count, 100)
      .option('--rounds <n>', 'looks at each', count, 40),
  short: ['--schedules', '1000,20000', '--rounds', '20'],
  async run({ schedules, due, rounds }, say) {
    const postgres = await startPostgres(systemTime);
    try {
      const sizes: Size[] = [];
      for (const many of schedules.toSorted((a, b) => a - b)) {
        say(`${many.toLocaleString('en')} schedules`);
        const { polls, found, bare, tableBytes } = await measurePolls(postgres, { schedules: many, due, rounds });
        const [p50, p95] = [median(polls), quantile(polls, 0.95)];
        sizes.push({ schedules: many, p50, p95, found: median(found), query: median(bare), tableBytes });
      }
      const [small, large] = [sizes[0], sizes.at(-1)] as [Size, Size];
      const name = `poll, ${large.schedules.toLocaleString('en')} schedules, ${due} due`;
      const rows = [
        judged({
          id: 'poll.bare',
          measure: `${name}: finding them`,
          figure: large.found,
          unit: 'ms',
          limit: large.query,
          limitName: 'the same query bare',
          goal: { of: 'ratio', most: 1.5 },
        }),
        judged({
          id: 'poll.flat',
          measure: `${name}: with their runs begun`,
          figure: large.p50,
          unit: 'ms',
          limit: small.p50,
          limitName: `over ${small.schedules.toLocaleString('en')} schedules`,
          goal: { of: 'ratio', most: 1.5 },
        }),
      ];
      const lines = sizes.map(({ schedules: many, p50, p95, found, query }) => ({
        schedules: many,
        due,
        'poll, median ms': p50.toFixed(1),
        'poll, p95 ms': p95.toFixed(1),
        'found, median ms': found.toFixed(2),
        'bare query, median ms': query.toFixed(2),
      }));
      const line = (label: string, of: 'p50' | 'p95' | 'found' | 'query') => ({
        name: label,
        points: sizes.map((size) => [size.schedules, size[of]] as const),
      });
      return {
        rows,
        details: [{ title: 'Polls', rows: lines }],
        plots: [
          {
            name: 'poll',
            title: `One look for due schedules, ${due} of them due`,
            x: { label: 'registered schedules', isLogarithmic: true },
            y: { label: 'milliseconds' },
            lines: [line('median', 'p50'), line('p95', 'p95'), line('found', 'found'), line('bare query', 'query')],
          },
        ],
        facts: { pollMs: large.p50, pollDue: due, bytesASchedule: large.tableBytes / large.schedules },
      };
    } finally {
      await postgres.remove();
    }
  },
};
