import type { Kysely } from 'kysely';
import { Type } from 'typebox';
import { Problem } from '../../domain/problems.ts';
import { findList } from '../../store/queries/lists.ts';
import { findSchedule } from '../../store/queries/schedules.ts';
import type { Tables } from '../../store/schema.ts';
import { scheduleAddress } from '../address.ts';
import { ProblemView, ScheduleView } from '../schemas.ts';
import type { Api } from '../server.ts';
import { scheduleView } from '../views.ts';

const schema = {
  summary: "A registered schedule's public fields",
  params: Type.Object({ schedulePda: Type.String() }),
  response: { 200: ScheduleView, '4xx': ProblemView },
};

/** GET /api/schedules/:schedulePda */
export function readScheduleRoute(app: Api, database: Kysely<Tables>): void {
  app.get('/api/schedules/:schedulePda', { schema }, async (request) => {
    const address = scheduleAddress(request.params.schedulePda);
    const schedule = await findSchedule(database, address);
    if (schedule === undefined) throw new Problem('schedule-not-found', 'The schedule is not registered here.');
    const list = await findList(database, address, schedule.root);
    return scheduleView(schedule, list !== undefined);
  });
}
