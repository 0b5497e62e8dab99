import { countRunsOf } from '../../store/queries/overview.ts';
import { findTokensOf, listRunPage } from '../../store/queries/runPages.ts';
import type { RunRow } from '../../store/queries/runs.ts';
import { json, LIMIT_FIELDS } from '../answers.ts';
import { checkViewer, VIEWED, viewProblems } from '../dashboard/access.ts';
import type { DashboardInput } from '../dashboard/input.ts';
import { RUNS_EXAMPLE, RunsQuery, RunsView } from '../dashboard/schemas.ts';
import { tokenView } from '../dashboard/tokenView.ts';
import type { Api } from '../httpServer.ts';
import { runSummary } from '../views.ts';
import { pageOf, windowPage } from '../windowPage.ts';

const schema = {
  ...VIEWED,
  operationId: 'listRuns',
  summary: 'Runs of all schedules, newest first',
  description:
    'Pages of runs without their tries, of one state or of one schedule if asked for, and how many there are for each state. For ' +
    'operators, or for everybody if DASHBOARD_PUBLIC is true.',
  querystring: RunsQuery,
  response: { ...viewProblems(), 200: json('A page of runs', RunsView, RUNS_EXAMPLE, LIMIT_FIELDS) },
};

/** GET /api/runs */
export function listRunsRoute(app: Api, input: DashboardInput): void {
  const { database, counts } = input;
  app.get('/api/runs', { schema, config: { limit: 'read', session: true } }, async (request, reply) => {
    await checkViewer(request, reply, input);
    const { state, schedule } = request.query;
    const { before, limit } = windowPage(request.query);
    const [found, byState] = await Promise.all([
      listRunPage(database, { state, schedule, before, limit: limit + 1 }),
      schedule === undefined ? counts.runs() : countRunsOf(database, schedule),
    ]);
    const numberOf = (run: RunRow) => (schedule === undefined ? String(run.id) : run.window_number);
    const { page, nextCursor } = pageOf(found, limit, numberOf);
    const schedules = page.map((run) => run.schedule);
    const tokens = await findTokensOf(database, schedules);
    return {
      runs: page.map((run) => ({ schedulePda: run.schedule, ...tokenView(tokens, run.schedule), ...runSummary(run) })),
      counts: byState,
      nextCursor,
    };
  });
}
