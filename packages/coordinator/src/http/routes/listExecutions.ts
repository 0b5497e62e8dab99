import { scheduleAddress } from '../../domain/address.ts';
import { Problem } from '../../domain/problems.ts';
import { listAttempts } from '../../store/queries/attempts.ts';
import { listRuns } from '../../store/queries/runs.ts';
import { findSchedule } from '../../store/queries/schedules.ts';
import type { Db } from '../../store/schema.ts';
import { json, LIMIT_FIELDS, readProblems } from '../answers.ts';
import { RUN_EXAMPLE } from '../examples.ts';
import type { Api } from '../httpServer.ts';
import { RunPage, ScheduleParams } from '../schemas.ts';
import { runView } from '../views.ts';
import { pageOf, WindowPageQuery, windowPage } from '../windowPage.ts';

const schema = {
  operationId: 'listExecutions',
  tags: ['schedules'],
  summary: "A schedule's runs, newest first",
  description:
    'One run for each window, with every attempt of its stages. Counts, codes and signatures; nobody is named.',
  params: ScheduleParams,
  querystring: WindowPageQuery,
  response: {
    ...readProblems('invalid-address', 'invalid-query', 'schedule-not-found'),
    200: json('A page of runs', RunPage, { executions: [RUN_EXAMPLE], nextCursor: 'w2' }, LIMIT_FIELDS),
  },
};

/** GET /api/schedules/:schedulePda/executions */
export function listExecutionsRoute(app: Api, database: Db): void {
  app.get('/api/schedules/:schedulePda/executions', { schema, config: { limit: 'read' } }, async (request) => {
    const address = scheduleAddress(request.params.schedulePda);
    const { before, limit } = windowPage(request.query);
    if ((await findSchedule(database, address)) === undefined) {
      throw new Problem('schedule-not-found', 'The schedule is not registered here.');
    }
    const { page, nextCursor } = pageOf(await listRuns(database, address, before, limit + 1), limit);
    const ids = page.map(({ id }) => id);
    const attempts = await listAttempts(database, ids);
    return { executions: page.map((run) => runView(run, attempts)), nextCursor };
  });
}
