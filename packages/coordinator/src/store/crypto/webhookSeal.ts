import type { JWK } from 'jose';
import type { WebhookEndpoint } from '../queries/webhooks.ts';
import { decrypt, encrypt } from './cipher.ts';
import type { PayloadKeys } from './payloadKeys.ts';

/** What is kept of an endpoint in secret: addresses often carry a token. */
export type WebhookContent = {
  readonly url: string;
  /** As Standard Webhooks writes it, `whsec_…`. */
  readonly secret: string;
  /** The secret before it, which signs too until a time (unix milliseconds). */
  readonly former: { readonly secret: string; readonly until: number } | null;
  /** Whom a message is encrypted for that names recipients; null: none names any. */
  readonly encryptionKey: JWK | null;
};

type Name = Pick<WebhookEndpoint, 'id'>;

/** What an endpoint's wrapped key is bound to. */
export const webhookKeyPlace = ({ id }: Name): Uint8Array => Buffer.from(`webhook ${id}: key`);
/** What an endpoint's content is bound to. */
export const contentPlace = ({ id }: Name): Uint8Array => Buffer.from(`webhook ${id}: content`);

/** Encrypts an endpoint's content with its own key. */
export const sealContent = (key: Uint8Array, endpoint: Name, content: WebhookContent): Uint8Array =>
  encrypt(key, Buffer.from(JSON.stringify(content)), contentPlace(endpoint));

/** An endpoint's own key, and its content. Throws `WrongPayloadKey` or `DecryptionFailed`. */
export async function openWebhook(
  payloadKeys: PayloadKeys,
  endpoint: Name & Pick<WebhookEndpoint, 'wrapped_key' | 'key_id' | 'content'>,
): Promise<{ readonly key: Uint8Array; readonly content: WebhookContent }> {
  const stored = { keyId: endpoint.key_id, wrapped: endpoint.wrapped_key };
  const key = await payloadKeys.unwrap(stored, webhookKeyPlace(endpoint));
  const content = decrypt(key, endpoint.content, contentPlace(endpoint));
  return { key, content: JSON.parse(Buffer.from(content).toString()) as WebhookContent };
}
