import type { Static } from 'typebox';
import { classOf } from '../../domain/errors.ts';
import { Recent } from '../../platform/recent.ts';
import { type FailedStep, type FinishedStep, readFailed, readFinished, type Span } from '../../store/queries/series.ts';
import { json, LIMIT_FIELDS } from '../answers.ts';
import { checkViewer, VIEWED, viewProblems } from '../dashboard/access.ts';
import type { DashboardInput } from '../dashboard/input.ts';
import { SERIES_EXAMPLE, SERIES_RANGES, SeriesQuery, SeriesView } from '../dashboard/schemas.ts';
import type { Api } from '../httpServer.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Steps so long that a plot has 60 to 96 of them. */
const RANGES: Record<(typeof SERIES_RANGES)[number], { readonly lastMs: number; readonly stepMs: number }> = {
  '1h': { lastMs: HOUR_MS, stepMs: MINUTE_MS },
  '24h': { lastMs: 24 * HOUR_MS, stepMs: 15 * MINUTE_MS },
  '7d': { lastMs: 7 * 24 * HOUR_MS, stepMs: 2 * HOUR_MS },
};

const schema = {
  ...VIEWED,
  operationId: 'readSeries',
  summary: 'Throughput, latency and errors over time',
  description:
    'Counts for each of 60 to 96 steps up to now; the last one is not over yet. For operators, or for everybody if DASHBOARD_PUBLIC is true.',
  querystring: SeriesQuery,
  response: { ...viewProblems(), 200: json('The series', SeriesView, SERIES_EXAMPLE, LIMIT_FIELDS) },
};

/** GET /api/series */
export function readSeriesRoute(app: Api, input: DashboardInput): void {
  const { database, time } = input;
  const series = new Map(
    SERIES_RANGES.map((range) => {
      const { lastMs, stepMs } = RANGES[range];
      const read = async () => {
        const to = (Math.floor(time.now() / stepMs) + 1) * stepMs;
        const span = { from: to - lastMs, to, stepMs };
        const [finished, failed] = await Promise.all([readFinished(database, span), readFailed(database, span)]);
        return seriesView(span, finished, failed);
      };
      return [range, new Recent(read, time)] as const;
    }),
  );
  app.get('/api/series', { schema, config: { limit: 'read', session: true } }, async (request, reply) => {
    await checkViewer(request, reply, input);
    return (series.get(request.query.range ?? '24h') as Recent<Static<typeof SeriesView>>).get();
  });
}

const rounded = (milliseconds: number | null | undefined): number | null =>
  milliseconds == null ? null : Math.round(milliseconds);

function seriesView(
  { from, to, stepMs }: Span,
  finished: readonly FinishedStep[],
  failed: readonly FailedStep[],
): Static<typeof SeriesView> {
  const buckets = Array.from({ length: (to - from) / stepMs }, (_, step) => {
    const over = finished.find((each) => each.step === step);
    const errors = failed.filter((each) => each.step === step);
    const sum = (some: readonly FailedStep[], of: 'held' | 'failed') =>
      some.reduce((total, each) => total + each[of], 0);
    const isFinal = ({ code }: FailedStep) => classOf(code) === 'permanent';
    return {
      at: from + step * stepMs,
      settled: over?.settled ?? 0,
      claims: over?.claims ?? 0,
      p50Ms: rounded(over?.p50),
      p95Ms: rounded(over?.p95),
      exhausted: sum(
        errors.filter((each) => !isFinal(each)),
        'failed',
      ),
      failed: sum(errors.filter(isFinal), 'failed'),
      held: sum(errors, 'held'),
      errors: Object.fromEntries(
        errors
          .filter(({ code, held, failed: ended }) => classOf(code) !== 'timing' || held + ended > 0)
          .map(({ code, tries }) => [code, tries]),
      ),
    };
  });
  return { from, to, stepMs, buckets };
}
