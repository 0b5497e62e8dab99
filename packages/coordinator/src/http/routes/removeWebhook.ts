import { removeWebhook } from '../../store/queries/webhooks.ts';
import { json, LIMIT_FIELDS } from '../answers.ts';
import type { Api } from '../httpServer.ts';
import type { PrivateReadsInput } from '../privateReads.ts';
import { SIGNED } from '../scheduleRequest.ts';
import { WEBHOOK_EXAMPLE, WebhookParams, WebhookView } from '../webhookSchemas.ts';
import { webhookProblems, webhookRequest, webhookView } from '../webhooks.ts';

const schema = {
  ...SIGNED,
  operationId: 'removeWebhook',
  summary: 'Forgets a webhook at once',
  description: 'Nothing is sent to it any more, what waits among it. Signed by the employer.',
  params: WebhookParams,
  response: {
    ...webhookProblems(),
    200: json('As it was', WebhookView, WEBHOOK_EXAMPLE, LIMIT_FIELDS),
  },
};

/** DELETE /api/schedules/:schedulePda/webhooks/:id */
export function removeWebhookRoute(app: Api, input: PrivateReadsInput): void {
  const path = '/api/schedules/:schedulePda/webhooks/:id';
  app.delete(path, { schema, config: { limit: 'private' } }, async (request, reply) => {
    const { address, webhook } = await webhookRequest(request, reply, input);
    const view = await webhookView(input, webhook);
    await removeWebhook(input.database, webhook.id);
    input.log.info({ schedule: address, webhook: webhook.id }, 'a webhook was removed');
    return view;
  });
}
