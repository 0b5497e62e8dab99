import type { SignedSend, Time, WebhookData } from '@payouts/client';
import type { Address } from '@solana/kit';
import { Failure } from './failure.ts';

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

/** A message with its attempts; times in unix milliseconds. */
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
  /** All if left out. */
  readonly types?: readonly string[];
  /** A public JWK. */
  readonly encryptionKey?: unknown;
};

/** Which messages are sent again: one, or those since a time in unix milliseconds. */
export type ReplayWish = { readonly since: number } | { readonly messageId: string };

const webhooksOf = (schedule: Address, ...more: string[]) =>
  [`/api/schedules/${schedule}/webhooks`, ...more.map(encodeURIComponent)].join('/');

/** Registers a webhook. What `send` throws, everything here throws. */
export const addWebhook = (send: SignedSend, schedule: Address, wish: WebhookWish): Promise<WebhookWithSecret> =>
  send('POST', webhooksOf(schedule), wish);

/** Webhooks of a schedule and of its whole vault, oldest first. */
export async function listWebhooks(send: SignedSend, schedule: Address): Promise<readonly WebhookJson[]> {
  return (await send<{ webhooks: WebhookJson[] }>('GET', webhooksOf(schedule))).webhooks;
}

/** Forgets a webhook at once; returns it as it was. */
export const removeWebhook = (send: SignedSend, schedule: Address, id: string): Promise<WebhookJson> =>
  send('DELETE', webhooksOf(schedule, id));

/** Gives a webhook a new secret; the former one signs as well for a day. */
export const rotateWebhook = (send: SignedSend, schedule: Address, id: string): Promise<WebhookWithSecret> =>
  send('POST', webhooksOf(schedule, id, 'secret'));

/** The last messages of a webhook, newest first. */
export async function listDeliveries(
  send: SignedSend,
  schedule: Address,
  id: string,
): Promise<readonly DeliveryJson[]> {
  return (await send<{ deliveries: DeliveryJson[] }>('GET', webhooksOf(schedule, id, 'deliveries'))).deliveries;
}

/** Has messages sent again, under the ids that they had; returns how many. */
export async function replayWebhook(
  send: SignedSend,
  schedule: Address,
  id: string,
  which: ReplayWish,
): Promise<number> {
  return (await send<{ replayed: number }>('POST', webhooksOf(schedule, id, 'replay'), which)).replayed;
}

/** How often it is asked what came of a test, and how long between. */
const LOOKS = 40;
const LOOK_MS = 500;

/** Has a webhook sent a message of type webhook.test, and waits for what comes of it. Throws `Failure` not-delivered if nothing does. */
export async function testWebhook(
  send: SignedSend,
  schedule: Address,
  id: string,
  time: Pick<Time, 'pause'>,
): Promise<DeliveryJson> {
  const { messageId } = await send<{ messageId: string }>('POST', webhooksOf(schedule, id, 'test'));
  for (let looks = 0; looks < LOOKS; looks++) {
    const sent = (await listDeliveries(send, schedule, id)).find((each) => each.messageId === messageId);
    if (sent !== undefined && sent.state !== 'pending') return sent;
    await time.pause(LOOK_MS);
  }
  throw new Failure('not-delivered', 'Nothing has come of the test yet. Look at the deliveries in a while.');
}

/** A public JWK out of a text, without its private part, which must not leave this machine. Throws `Failure` key-unreadable. */
export function publicJwk(text: string, file: string): object {
  const wrong = (cause?: unknown) =>
    new Failure('key-unreadable', `${file} holds no JWK: a JSON text with kty, crv and x.`, { cause });
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw wrong(cause);
  }
  if (typeof parsed !== 'object' || parsed === null || !('kty' in parsed)) throw wrong();
  const { d: _private, ...key } = parsed as Record<string, unknown>;
  return key;
}

/** What adding a webhook will do. */
export const addingEffects = ({ url, scope, types, encryptionKey }: WebhookWish): string[] => [
  `Tells ${url} of ${scope === 'vault' ? 'all payrolls of the vault' : 'this payroll'}: ${types?.join(', ') ?? 'everything'}.`,
  `Unpaid recipients are ${encryptionKey === undefined ? 'counted, not named' : 'named to the holder of the key'}.`,
];

/** What removing a webhook will do. */
export const removingEffects = (id: string): string[] => [`Forgets the webhook ${id}; what waits is not sent.`];

/** What a new secret will do. */
export const rotatingEffects = (id: string): string[] => [
  `Makes a new secret for ${id}; the old one signs as well for a day.`,
];

/** What sending again will do; moments are written by `timeText`. */
export function replayingEffects(id: string, which: ReplayWish, timeText: (at: number) => string): string[] {
  const what = 'since' in which ? `all messages since ${timeText(which.since)}` : `the message ${which.messageId}`;
  return [`Sends ${what} to ${id} again, under the same ids.`];
}

/** What is said of a secret that was made now. */
export const SECRET_ADVICE = 'Give the secret to your receiver now: it is not shown again.';

/** How many messages were sent again. */
export const replayedText = (count: number): string =>
  count === 1 ? 'Sent again: 1 message.' : `Sent again: ${count} messages.`;

/** What a webhook is told of. */
export const webhookScope = ({ schedulePda }: WebhookJson): string =>
  schedulePda === null ? 'all payrolls of the vault' : 'this payroll';

/** How a webhook stands: whether messages arrive, and why not. */
export function webhookStanding({ state, disabledWhy, failingSince }: WebhookJson, timeText: (at: number) => string) {
  if (disabledWhy === 'gone') return `${state}: it answered 410`;
  return failingSince === null ? state : `${state} since ${timeText(failingSince)}`;
}

/** What came of one attempt, such as "refused 503". */
export const attemptText = ({ outcome, status }: DeliveryJson['attempts'][number]): string =>
  status === null ? outcome : `${outcome} ${status}`;
