import type { Kysely } from 'kysely';
import { Type } from 'typebox';
import { Problem } from '../../domain/problems.ts';
import { listAttempts } from '../../store/queries/attempts.ts';
import { listRuns } from '../../store/queries/runs.ts';
import { findSchedule } from '../../store/queries/schedules.ts';
import type { Tables } from '../../store/schema.ts';
import { scheduleAddress } from '../address.ts';
import { cursorAfter, windowOfCursor } from '../cursor.ts';
import { ProblemView, RunPage } from '../schemas.ts';
import type { Api } from '../server.ts';
import { runView } from '../views.ts';

const PAGE = 20;
const LARGEST_PAGE = 100;

const schema = {
  summary: "A schedule's runs, newest first",
  params: Type.Object({ schedulePda: Type.String() }),
  querystring: Type.Object({
    cursor: Type.Optional(Type.String({ description: 'nextCursor of the page before' })),
    limit: Type.Optional(Type.String({ pattern: '^[0-9]{1,3}$', description: `1 to ${LARGEST_PAGE}` })),
  }),
  response: { 200: RunPage, '4xx': ProblemView },
};

function limitOf(text: string | undefined): number {
  const limit = text === undefined ? PAGE : Number(text);
  if (limit >= 1 && limit <= LARGEST_PAGE) return limit;
  throw new Problem('invalid-query', `limit lies between 1 and ${LARGEST_PAGE}.`);
}

/** GET /api/schedules/:schedulePda/executions */
export function listExecutionsRoute(app: Api, database: Kysely<Tables>): void {
  app.get('/api/schedules/:schedulePda/executions', { schema }, async (request) => {
    const address = scheduleAddress(request.params.schedulePda);
    const { cursor } = request.query;
    const limit = limitOf(request.query.limit);
    const before = cursor === undefined ? undefined : windowOfCursor(cursor);
    if ((await findSchedule(database, address)) === undefined) {
      throw new Problem('schedule-not-found', 'The schedule is not registered here.');
    }
    // One more than asked for tells whether there is a further page.
    const runs = await listRuns(database, address, before, limit + 1);
    const page = runs.slice(0, limit);
    const attempts = await listAttempts(
      database,
      page.map(({ id }) => id),
    );
    const last = page.at(-1);
    return {
      executions: page.map((run) => runView(run, attempts)),
      nextCursor: runs.length > limit && last !== undefined ? cursorAfter(last.window_number) : null,
    };
  });
}
