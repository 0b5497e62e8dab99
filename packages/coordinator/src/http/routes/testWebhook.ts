import { messageName } from '../../domain/webhook.ts';
import { addTestMessage } from '../../store/queries/webhookMessages.ts';
import { json, LIMIT_FIELDS } from '../answers.ts';
import type { Api } from '../httpServer.ts';
import type { PrivateReadsInput } from '../privateReads.ts';
import { SIGNED } from '../scheduleRequest.ts';
import { MESSAGE_EXAMPLE, MessageView, WebhookParams } from '../webhookSchemas.ts';
import { webhookProblems, webhookRequest } from '../webhooks.ts';

const schema = {
  ...SIGNED,
  operationId: 'testWebhook',
  summary: 'Sends a webhook a message of type webhook.test',
  description:
    'Sent once; `deliveries` tells what came of it. A webhook that is disabled is enabled again by an answer 2xx. Signed by the employer.',
  params: WebhookParams,
  response: {
    ...webhookProblems(),
    202: json('It will be sent at once', MessageView, MESSAGE_EXAMPLE, LIMIT_FIELDS),
  },
};

/** POST /api/schedules/:schedulePda/webhooks/:id/test */
export function testWebhookRoute(app: Api, input: PrivateReadsInput): void {
  const path = '/api/schedules/:schedulePda/webhooks/:id/test';
  app.post(path, { schema, config: { limit: 'private' } }, async (request, reply) => {
    const { address, webhook } = await webhookRequest(request, reply, input);
    const id = await addTestMessage(input.database, { endpointId: webhook.id, schedule: address });
    reply.status(202);
    return { messageId: messageName(id) };
  });
}
