import { listMessages } from '../../store/queries/webhookMessages.ts';
import { json, LIMIT_FIELDS } from '../answers.ts';
import type { Api } from '../httpServer.ts';
import type { PrivateReadsInput } from '../privateReads.ts';
import { SIGNED } from '../scheduleRequest.ts';
import { DELIVERIES_EXAMPLE, DeliveriesView, SHOWN_MESSAGES, WebhookParams } from '../webhookSchemas.ts';
import { deliveryView, webhookProblems, webhookRequest } from '../webhooks.ts';

const schema = {
  ...SIGNED,
  operationId: 'listDeliveries',
  summary: 'What was sent to a webhook, and what came of it',
  description:
    'The last messages with their last tries. What the receiver answered is not kept, but for its status. Signed by the employer.',
  params: WebhookParams,
  response: {
    ...webhookProblems(),
    200: json('The last messages', DeliveriesView, DELIVERIES_EXAMPLE, LIMIT_FIELDS),
  },
};

/** GET /api/schedules/:schedulePda/webhooks/:id/deliveries */
export function listDeliveriesRoute(app: Api, input: PrivateReadsInput): void {
  const path = '/api/schedules/:schedulePda/webhooks/:id/deliveries';
  app.get(path, { schema, config: { limit: 'private', session: true } }, async (request, reply) => {
    const { webhook } = await webhookRequest(request, reply, input);
    return { deliveries: (await listMessages(input.database, webhook.id, SHOWN_MESSAGES)).map(deliveryView) };
  });
}
