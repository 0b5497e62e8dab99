import type { JWK } from 'jose';
import type { ChatFormat, NoticeDetails } from '../../domain/notice.ts';
import { paddedToBlock } from '../../domain/padToBlock.ts';
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

/** The same of a person's notices. */
export type NoticeContent = {
  /** Whose they are: the employer's key, or the recipient's. */
  readonly owner: string;
  /** An e-mail address, or that of a chat's webhook. */
  readonly to: string;
  /** Of a chat; null: they go by e-mail. */
  readonly format: ChatFormat | null;
  readonly details: NoticeDetails;
  /** What the address must send back. */
  readonly code: string | null;
  /** What a link to unsubscribe has. */
  readonly token: string;
};

/** What a recipient is told beside what has happened; base units. */
export type RecipientDetails = { readonly mint: string; readonly amount: string };

type Name = Pick<WebhookEndpoint, 'id'>;
type Sealed = Name & Pick<WebhookEndpoint, 'wrapped_key' | 'key_id' | 'content'>;

/** What an endpoint's wrapped key is bound to. */
export const webhookKeyPlace = ({ id }: Name): Uint8Array => Buffer.from(`webhook ${id}: key`);
/** What an endpoint's content is bound to. */
export const contentPlace = ({ id }: Name): Uint8Array => Buffer.from(`webhook ${id}: content`);

/** What the details of its messages are bound to. */
export const detailsPlace = ({ id }: Name): Uint8Array => Buffer.from(`webhook ${id}: details`);

/** Encrypts an endpoint's content with its own key. */
export const sealContent = (key: Uint8Array, endpoint: Name, content: WebhookContent | NoticeContent): Uint8Array =>
  encrypt(key, Buffer.from(JSON.stringify(content)), contentPlace(endpoint));

/** Encrypts what a recipient is told with their endpoint's own key; its length tells no amount. */
export const sealDetails = (key: Uint8Array, endpoint: Name, details: RecipientDetails): Uint8Array =>
  encrypt(key, Buffer.from(paddedToBlock(JSON.stringify(details))), detailsPlace(endpoint));

/** Decrypts it again. Throws `DecryptionFailed`. */
export const openDetails = (key: Uint8Array, endpoint: Name, sealed: Uint8Array): RecipientDetails =>
  JSON.parse(Buffer.from(decrypt(key, sealed, detailsPlace(endpoint))).toString()) as RecipientDetails;

/** An endpoint's own key, and its content. Throws `WrongPayloadKey` or `DecryptionFailed`. */
async function open<Content>(payloadKeys: PayloadKeys, endpoint: Sealed) {
  const stored = { keyId: endpoint.key_id, wrapped: endpoint.wrapped_key };
  const key = await payloadKeys.unwrap(stored, webhookKeyPlace(endpoint));
  const content = decrypt(key, endpoint.content, contentPlace(endpoint));
  return { key, content: JSON.parse(Buffer.from(content).toString()) as Content };
}

/** A webhook's own key, and its content. Throws `WrongPayloadKey` or `DecryptionFailed`. */
export const openWebhook = (payloadKeys: PayloadKeys, endpoint: Sealed) => open<WebhookContent>(payloadKeys, endpoint);

/** The same of a person's notices. Throws as `openWebhook`. */
export const openNotice = (payloadKeys: PayloadKeys, endpoint: Sealed) => open<NoticeContent>(payloadKeys, endpoint);
