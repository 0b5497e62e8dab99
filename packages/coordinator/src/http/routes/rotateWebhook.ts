import { PREVIOUS_SECRET_MS } from '../../domain/webhook.ts';
import { openWebhook, sealContent } from '../../store/crypto/webhookSeal.ts';
import { saveWebhookContent } from '../../store/queries/webhooks.ts';
import { json, LIMIT_FIELDS } from '../answers.ts';
import type { Api } from '../httpServer.ts';
import type { PrivateReadsInput } from '../privateReads.ts';
import { SIGNED } from '../scheduleRequest.ts';
import { WEBHOOK_SECRET_EXAMPLE, WebhookParams, WebhookWithSecret } from '../webhookSchemas.ts';
import { newWebhookSecret, viewOf, webhookProblems, webhookRequest } from '../webhooks.ts';

const schema = {
  ...SIGNED,
  operationId: 'rotateWebhookSecret',
  summary: 'Gives a webhook a new secret',
  description:
    'Messages carry the signatures of both secrets for a day, so that a receiver can be given the new one meanwhile. Signed by the ' +
    'employer.',
  params: WebhookParams,
  response: {
    ...webhookProblems(),
    200: json('With the new secret', WebhookWithSecret, WEBHOOK_SECRET_EXAMPLE, LIMIT_FIELDS),
  },
};

/** POST /api/schedules/:schedulePda/webhooks/:id/secret */
export function rotateWebhookRoute(app: Api, input: PrivateReadsInput): void {
  const { database, payloadKeys, time, log } = input;
  const path = '/api/schedules/:schedulePda/webhooks/:id/secret';
  app.post(path, { schema, config: { limit: 'private' } }, async (request, reply) => {
    const { address, webhook } = await webhookRequest(request, reply, input);
    const { key, content } = await openWebhook(payloadKeys, webhook);
    const now = time.now();
    const former = { secret: content.secret, until: now + PREVIOUS_SECRET_MS };
    const renewed = { ...content, secret: newWebhookSecret(), former };
    await saveWebhookContent(database, webhook.id, sealContent(key, webhook, renewed));
    log.info({ schedule: address, webhook: webhook.id }, 'a webhook was given a new secret');
    return { ...viewOf(webhook, renewed, now), secret: renewed.secret };
  });
}
