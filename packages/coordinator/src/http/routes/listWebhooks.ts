import { listWebhooks } from '../../store/queries/webhooks.ts';
import { json, LIMIT_FIELDS } from '../answers.ts';
import type { Api } from '../httpServer.ts';
import { type PrivateReadsInput, privateProblems } from '../privateReads.ts';
import { clerkRequest, SIGNED } from '../scheduleRequest.ts';
import { ScheduleParams } from '../schemas.ts';
import { WEBHOOK_EXAMPLE, WebhooksView } from '../webhookSchemas.ts';
import { webhookView } from '../webhooks.ts';

const schema = {
  ...SIGNED,
  operationId: 'listWebhooks',
  summary: 'Who is told of a schedule',
  description: 'Webhooks of the schedule and of its whole vault, without their secrets. Signed by the employer.',
  params: ScheduleParams,
  response: {
    ...privateProblems(),
    200: json('The webhooks', WebhooksView, { webhooks: [WEBHOOK_EXAMPLE] }, LIMIT_FIELDS),
  },
};

/** GET /api/schedules/:schedulePda/webhooks */
export function listWebhooksRoute(app: Api, input: PrivateReadsInput): void {
  const path = '/api/schedules/:schedulePda/webhooks';
  app.get(path, { schema, config: { limit: 'private', session: true } }, async (request, reply) => {
    const { address, schedule } = await clerkRequest(request, reply, input);
    const rows = await listWebhooks(input.database, { vault: schedule.vault, schedule: address });
    return { webhooks: await Promise.all(rows.map((row) => webhookView(input, row))) };
  });
}
