import type { WebhookData } from '@payouts/client';
import type { Address } from '@solana/kit';
import { type PrivateApi, privateJson } from './requests.ts';

/** A webhook as the coordinator shows it to its employer; times in unix milliseconds. */
export type WebhookJson = {
  readonly id: string;
  /** Null: all schedules of the vault. */
  readonly schedulePda: string | null;
  readonly vault: string;
  readonly url: string;
  readonly types: readonly WebhookTypeName[];
  readonly encrypts: boolean;
  readonly state: 'active' | 'failing' | 'disabled';
  readonly disabledWhy: 'gone' | 'failing' | null;
  readonly failingSince: number | null;
  readonly formerSecretUntil: number | null;
  readonly createdAt: number;
};
export type WebhookTypeName = Exclude<keyof WebhookData, 'webhook.test'>;
/** The same with its secret, which is shown once. */
export type WebhookWithSecret = WebhookJson & { readonly secret: string };

/** A message with its tries; times in unix milliseconds. */
export type DeliveryJson = {
  readonly messageId: string;
  readonly type: keyof WebhookData;
  readonly at: number;
  readonly schedulePda: string;
  readonly window: string | null;
  readonly state: 'pending' | 'delivered' | 'failed';
  readonly nextAt: number | null;
  readonly attempts: readonly {
    readonly at: number;
    readonly outcome: string;
    readonly status: number | null;
    readonly milliseconds: number;
  }[];
};

/** Where an employer wants to be told, and of what. */
export type WebhookWish = {
  readonly url: string;
  readonly scope?: 'schedule' | 'vault';
  readonly types?: readonly string[];
  /** A public JWK. */
  readonly encryptionKey?: unknown;
};

const webhooksOf = (schedule: Address, ...more: string[]) =>
  [`/api/schedules/${schedule}/webhooks`, ...more.map(encodeURIComponent)].join('/');

/** Registers a webhook. Throws `RequestRefused`, as all of these do. */
export const addWebhook = (api: PrivateApi, schedule: Address, body: WebhookWish): Promise<WebhookWithSecret> =>
  privateJson(api, webhooksOf(schedule), { method: 'POST', body });

/** Webhooks of a schedule and of its whole vault, oldest first. */
export async function listWebhooks(api: PrivateApi, schedule: Address): Promise<readonly WebhookJson[]> {
  return (await privateJson<{ webhooks: WebhookJson[] }>(api, webhooksOf(schedule))).webhooks;
}

/** Forgets a webhook at once; returns it as it was. */
export const removeWebhook = (api: PrivateApi, schedule: Address, id: string): Promise<WebhookJson> =>
  privateJson(api, webhooksOf(schedule, id), { method: 'DELETE' });

/** Gives a webhook a new secret; the former one signs as well for a day. */
export const rotateWebhook = (api: PrivateApi, schedule: Address, id: string): Promise<WebhookWithSecret> =>
  privateJson(api, webhooksOf(schedule, id, 'secret'), { method: 'POST' });

/** Has a webhook sent a message of type webhook.test; returns its id. */
export async function testWebhook(api: PrivateApi, schedule: Address, id: string): Promise<string> {
  const path = webhooksOf(schedule, id, 'test');
  return (await privateJson<{ messageId: string }>(api, path, { method: 'POST' })).messageId;
}

/** The last messages of a webhook, newest first. */
export async function listDeliveries(api: PrivateApi, schedule: Address, id: string): Promise<readonly DeliveryJson[]> {
  const path = webhooksOf(schedule, id, 'deliveries');
  return (await privateJson<{ deliveries: DeliveryJson[] }>(api, path)).deliveries;
}

/** Has messages sent again: one, or those since a time (unix milliseconds); returns how many. */
export async function replayWebhook(
  api: PrivateApi,
  schedule: Address,
  id: string,
  body: { readonly since: number } | { readonly messageId: string },
): Promise<number> {
  const path = webhooksOf(schedule, id, 'replay');
  return (await privateJson<{ replayed: number }>(api, path, { method: 'POST', body })).replayed;
}
