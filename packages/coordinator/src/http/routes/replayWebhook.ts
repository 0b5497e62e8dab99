import { Problem } from '../../domain/problems.ts';
import { messageName } from '../../domain/webhook.ts';
import { replayMessages } from '../../store/queries/webhookMessages.ts';
import { BODY_CODES, json, LIMIT_FIELDS } from '../answers.ts';
import type { Api } from '../httpServer.ts';
import type { PrivateReadsInput } from '../privateReads.ts';
import { SIGNED } from '../scheduleRequest.ts';
import { ReplayBody, ReplayView, WebhookParams } from '../webhookSchemas.ts';
import { webhookProblems, webhookRequest } from '../webhooks.ts';

const schema = {
  ...SIGNED,
  operationId: 'replayWebhook',
  summary: 'Sends messages again',
  description:
    'One message, or those since a time, delivered or not, each under the id that it had: a receiver that has seen one may leave it. ' +
    'Messages are kept for 30 days. Signed by the employer; the signature also covers `content-digest`.',
  params: WebhookParams,
  body: ReplayBody,
  response: {
    ...webhookProblems(...BODY_CODES, 'webhook-disabled'),
    202: json('They will be sent', ReplayView, { replayed: 12 }, LIMIT_FIELDS),
  },
};

/** POST /api/schedules/:schedulePda/webhooks/:id/replay */
export function replayWebhookRoute(app: Api, input: PrivateReadsInput): void {
  const path = '/api/schedules/:schedulePda/webhooks/:id/replay';
  app.post(path, { schema, config: { limit: 'private' } }, async (request, reply) => {
    const { address, webhook } = await webhookRequest(request, reply, input);
    if (webhook.disabled_at !== null) {
      throw new Problem(
        'webhook-disabled',
        'Nothing is sent to this webhook: a test that it answers 2xx enables it again.',
      );
    }
    const { body } = request;
    const which = 'since' in body ? body : { id: body.messageId.slice(messageName('').length) };
    const replayed = await replayMessages(input.database, webhook.id, which);
    input.log.info({ schedule: address, webhook: webhook.id, count: replayed }, 'webhook messages are sent again');
    reply.status(202);
    return { replayed };
  });
}
