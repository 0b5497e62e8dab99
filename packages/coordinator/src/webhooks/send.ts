import { type Time, timeoutSignal } from '@payouts/client';
import { Webhook } from 'standardwebhooks';
import { Agent, type Dispatcher, request } from 'undici';
import { type DeliveryOutcome, messageName } from '../domain/webhook.ts';
import type { WebhookContent } from '../store/crypto/webhookSeal.ts';
import { checkHost, ForbiddenAddress, publicLookup } from './addresses.ts';

/** Milliseconds in which a receiver answers. */
const WITHIN_MS = 15_000;
/** Bytes of an answer that are read, so that the connection can end in order; nothing of them is kept. */
const ANSWER_BYTES = 16 * 1_024;
const TIMEOUTS: ReadonlySet<string | undefined> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]);

/** What a try came to; `askedMs`: how long the receiver wants to be left alone. */
export type DeliveryResult = {
  readonly outcome: DeliveryOutcome;
  readonly status: number | null;
  readonly askedMs: number;
};

/** A message as it is sent; `at` in unix milliseconds. */
export type OutgoingMessage = { readonly id: string; readonly at: number; readonly body: string };

/** A POST as it is sent. */
export type OutgoingPost = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

/** Sends messages, to webhooks by Standard Webhooks. Redirects are not followed. */
export class WebhookSender {
  readonly #agent: Agent;
  readonly #allowsPrivate: boolean;
  readonly #withinMs: number;
  readonly #time: Time;

  /** `allowsPrivate`: send to private networks, too. */
  constructor({
    allowsPrivate,
    time,
    withinMs = WITHIN_MS,
  }: { readonly allowsPrivate: boolean; readonly time: Time; readonly withinMs?: number }) {
    this.#time = time;
    this.#allowsPrivate = allowsPrivate;
    this.#withinMs = withinMs;
    const connect = { timeout: withinMs, ...(allowsPrivate ? {} : { lookup: publicLookup }) };
    this.#agent = new Agent({ connect, headersTimeout: withinMs, bodyTimeout: withinMs, keepAliveTimeout: 1_000 });
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  /** Sends a webhook a message once. Throws the signal's reason if it aborts meanwhile. */
  send(
    { url, secret, former }: WebhookContent,
    message: OutgoingMessage,
    signal: AbortSignal,
  ): Promise<DeliveryResult> {
    const secrets = former !== null && former.until > message.at ? [secret, former.secret] : [secret];
    return this.post(url, { headers: headersOf(secrets, message), body: message.body }, signal);
  }

  /** Sends JSON to an address once. Throws as `send`. */
  async post(url: string, { headers, body }: OutgoingPost, signal: AbortSignal): Promise<DeliveryResult> {
    const inTime = timeoutSignal(this.#time, this.#withinMs);
    const ending = AbortSignal.any([signal, inTime]);
    try {
      if (!this.#allowsPrivate) checkHost(new URL(url).hostname);
      const answer = await request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'payouts-webhooks', ...headers },
        body,
        dispatcher: this.#agent,
        signal: ending,
      });
      await answer.body.dump({ limit: ANSWER_BYTES, signal: ending }).catch(() => {});
      return { outcome: outcomeOf(answer.statusCode), status: answer.statusCode, askedMs: askedMs(answer) };
    } catch (error) {
      signal.throwIfAborted();
      return { outcome: inTime.aborted ? 'timed-out' : faultOf(error), status: null, askedMs: 0 };
    }
  }
}

function headersOf(secrets: readonly string[], { id, at, body }: OutgoingMessage): Record<string, string> {
  const name = messageName(id);
  const date = new Date(at);
  return {
    'webhook-id': name,
    'webhook-timestamp': String(Math.floor(at / 1_000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(name, date, body)).join(' '),
  };
}

function outcomeOf(status: number): DeliveryOutcome {
  if (status >= 200 && status < 300) return 'delivered';
  if (status >= 300 && status < 400) return 'redirected';
  return status === 410 ? 'gone' : 'refused';
}

function faultOf(error: unknown): DeliveryOutcome {
  const all = [error, (error as Error).cause];
  if (all.some((each) => each instanceof ForbiddenAddress)) return 'forbidden';
  return all.some((each) => TIMEOUTS.has((each as NodeJS.ErrnoException | undefined)?.code))
    ? 'timed-out'
    : 'unreachable';
}

/** `Retry-After` in seconds; a date is not looked at. */
function askedMs({ headers }: Dispatcher.ResponseData): number {
  const asked = headers['retry-after'];
  return typeof asked === 'string' && /^[0-9]{1,7}$/.test(asked) ? Number(asked) * 1_000 : 0;
}
