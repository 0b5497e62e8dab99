import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { Problem, type ProblemCode } from '../domain/problems.ts';
import { messageName } from '../domain/webhook.ts';
import { openWebhook, type WebhookContent } from '../store/crypto/webhookSeal.ts';
import type { WebhookMessage } from '../store/queries/webhookMessages.ts';
import { findWebhook, type Webhook } from '../store/queries/webhooks.ts';
import { type PrivateReadsInput, privateProblems } from './privateReads.ts';
import { clerkRequest, type ScheduleRequest } from './scheduleRequest.ts';
import { isUuid } from './uuid.ts';
import type { DeliveriesView, WebhookView } from './webhookSchemas.ts';

const SECRET_BYTES = 32;

/** A new secret as Standard Webhooks writes it. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;

type AboutWebhook = FastifyRequest & { readonly params: { readonly schedulePda: string; readonly id: string } };

/** The webhook that a clerk's request is about. Throws `webhook-not-found`, and as `clerkRequest`. */
export async function webhookRequest(
  request: AboutWebhook,
  reply: FastifyReply,
  input: PrivateReadsInput,
): Promise<ScheduleRequest & { readonly webhook: Webhook }> {
  const asked = await clerkRequest(request, reply, input);
  const scope = { vault: asked.schedule.vault, schedule: asked.address };
  const { id } = request.params;
  const webhook = isUuid(id) ? await findWebhook(input.database, scope, id) : undefined;
  if (webhook !== undefined) return { ...asked, webhook };
  throw new Problem('webhook-not-found', 'No webhook of this schedule or its vault has this id.');
}

/** The errors of a route about one webhook. */
export const webhookProblems = (...codes: readonly ProblemCode[]): ReturnType<typeof privateProblems> =>
  privateProblems('webhook-not-found', ...codes);

/** A webhook as the routes show it. */
export async function webhookView(
  { payloadKeys, time }: PrivateReadsInput,
  row: Webhook,
): Promise<Static<typeof WebhookView>> {
  return viewOf(row, (await openWebhook(payloadKeys, row)).content, time.now());
}

/** The same with content that is known; `now` in unix milliseconds. */
export function viewOf(
  row: Pick<
    Webhook,
    'id' | 'schedule' | 'vault' | 'types' | 'created_at' | 'failing_since' | 'disabled_at' | 'disabled_why'
  >,
  { url, former, encryptionKey }: WebhookContent,
  now: number,
): Static<typeof WebhookView> {
  const isFailing = row.failing_since !== null;
  return {
    id: row.id,
    schedulePda: row.schedule,
    vault: row.vault,
    url,
    types: row.types,
    encrypts: encryptionKey !== null,
    state: row.disabled_at !== null ? 'disabled' : isFailing ? 'failing' : 'active',
    disabledWhy: row.disabled_why,
    failingSince: isFailing ? Number(row.failing_since) : null,
    formerSecretUntil: former !== null && former.until > now ? former.until : null,
    createdAt: Number(row.created_at),
  };
}

/** A message with its tries, as the routes show it. */
export function deliveryView(message: WebhookMessage): Static<typeof DeliveriesView>['deliveries'][number] {
  const { id, type, at, schedule, data, state, next_at: nextAt, attempts } = message;
  return {
    messageId: messageName(id),
    type,
    at: Number(at),
    schedulePda: schedule,
    window: (data.window as string | undefined) ?? null,
    state,
    nextAt: nextAt === null ? null : Number(nextAt),
    attempts: [...attempts],
  };
}
