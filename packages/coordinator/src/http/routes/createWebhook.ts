import { randomUUID } from 'node:crypto';
import { Problem } from '../../domain/problems.ts';
import { urlFault, WEBHOOK_TYPES } from '../../domain/webhook.ts';
import { newListKey } from '../../store/crypto/cipher.ts';
import { sealContent, type WebhookContent, webhookKeyPlace } from '../../store/crypto/webhookSeal.ts';
import { saveWebhook } from '../../store/queries/webhooks.ts';
import { encryptionKeyFault } from '../../webhooks/encryption.ts';
import { BODY_CODES, json, LIMIT_FIELDS } from '../answers.ts';
import type { Api } from '../httpServer.ts';
import { type PrivateReadsInput, privateProblems } from '../privateReads.ts';
import { clerkRequest, SIGNED } from '../scheduleRequest.ts';
import { ScheduleParams } from '../schemas.ts';
import { WEBHOOK_SECRET_EXAMPLE, WebhookBody, WebhookWithSecret } from '../webhookSchemas.ts';
import { newWebhookSecret, viewOf } from '../webhooks.ts';

const schema = {
  ...SIGNED,
  operationId: 'createWebhook',
  summary: 'Has an address told what becomes of runs',
  description:
    'Messages are signed by Standard Webhooks with the secret of the answer, which is shown this once. They name nobody, unless the ' +
    'employer gives a key to encrypt for. Signed by the employer; the signature also covers `content-digest`.',
  params: ScheduleParams,
  body: WebhookBody,
  response: {
    ...privateProblems(...BODY_CODES, 'invalid-webhook'),
    201: json('Registered', WebhookWithSecret, WEBHOOK_SECRET_EXAMPLE, LIMIT_FIELDS),
  },
};

/** What the route works with. */
export type CreateWebhookInput = PrivateReadsInput & {
  /** Whether messages may be sent to private networks and over plain HTTP. */
  readonly webhookAllowPrivate: boolean;
};

/** POST /api/schedules/:schedulePda/webhooks */
export function createWebhookRoute(app: Api, input: CreateWebhookInput): void {
  const { database, payloadKeys, time, log, webhookAllowPrivate } = input;
  const path = '/api/schedules/:schedulePda/webhooks';
  app.post(path, { schema, config: { limit: 'private' } }, async (request, reply) => {
    const { address, schedule } = await clerkRequest(request, reply, input);
    const { url, scope = 'schedule', types = [...WEBHOOK_TYPES], encryptionKey = null } = request.body;
    const fault =
      urlFault(url, webhookAllowPrivate) ??
      (encryptionKey === null ? undefined : await encryptionKeyFault(encryptionKey));
    if (fault !== undefined) throw new Problem('invalid-webhook', fault);
    const id = randomUUID();
    const now = time.now();
    const key = newListKey();
    const { keyId, wrapped } = await payloadKeys.wrap(key, webhookKeyPlace({ id }));
    const content: WebhookContent = { url, secret: newWebhookSecret(), former: null, encryptionKey };
    const row = {
      id,
      vault: schedule.vault,
      schedule: scope === 'vault' ? null : address,
      types,
      created_at: String(now),
      failing_since: null,
      disabled_at: null,
      disabled_why: null,
    };
    const sealed = { content: sealContent(key, { id }, content), wrapped_key: wrapped, key_id: keyId };
    if (!(await saveWebhook(database, { ...row, ...sealed }))) {
      throw new Problem('invalid-webhook', 'The vault has as many webhooks as it may: remove one.');
    }
    log.info({ schedule: address, webhook: id, kind: scope }, 'a webhook was registered');
    reply.status(201);
    return { ...viewOf(row, content, now), secret: content.secret };
  });
}
