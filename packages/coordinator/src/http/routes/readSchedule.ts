import type { Time } from '@payouts/client';
import { scheduleAddress } from '../../domain/address.ts';
import { Problem } from '../../domain/problems.ts';
import { findRegisteredSchedule } from '../../store/queries/registeredSchedule.ts';
import type { Db } from '../../store/schema.ts';
import { json, LIMIT_FIELDS, readProblems } from '../answers.ts';
import { SCHEDULE_EXAMPLE } from '../examples.ts';
import type { Api } from '../httpServer.ts';
import { ScheduleParams, ScheduleView } from '../schemas.ts';
import { scheduleView } from '../views.ts';

const schema = {
  operationId: 'readSchedule',
  tags: ['schedules'],
  summary: "A registered schedule's public fields",
  description: 'Terms and state on the ledger as last seen, the next window, and whether the list is registered.',
  params: ScheduleParams,
  response: {
    ...readProblems('invalid-address', 'invalid-query', 'schedule-not-found'),
    200: json('The schedule', ScheduleView, SCHEDULE_EXAMPLE, LIMIT_FIELDS),
  },
};

/** GET /api/schedules/:schedulePda */
export function readScheduleRoute(
  app: Api,
  { database, time }: { readonly database: Db; readonly time: Pick<Time, 'now'> },
): void {
  app.get('/api/schedules/:schedulePda', { schema, config: { limit: 'read' } }, async (request) => {
    const schedule = await findRegisteredSchedule(database, scheduleAddress(request.params.schedulePda));
    if (schedule === undefined) throw new Problem('schedule-not-found', 'The schedule is not registered here.');
    return scheduleView(schedule, time.now());
  });
}
