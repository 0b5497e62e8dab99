import type { Time } from '@payouts/client';
import { isUnreachable } from '../domain/errors.ts';
import { type EndpointKind, NOTICE_CODE, PAUSE_MS } from '../domain/notice.ts';
import { FAILING_MS, RETENTION_MS, retryAfter } from '../domain/webhook.ts';
import type { ListSource } from '../lists/listProofs.ts';
import { errorFields } from '../platform/log/errorFields.ts';
import type { Logger } from '../platform/log/log.ts';
import { runLoop } from '../platform/loop.ts';
import type { Metrics } from '../platform/metrics.ts';
import { type Alive, unwatched } from '../platform/watchedRound.ts';
import { openWebhook } from '../store/crypto/webhookSeal.ts';
import { isDatabaseOutage } from '../store/db/outage.ts';
import { removeOldAddressChanges } from '../store/queries/addressChanges.ts';
import { removeExpiredInvitations } from '../store/queries/invitations.ts';
import { pauseNotice, removeUnconfirmed } from '../store/queries/notices.ts';
import { trimEvents } from '../store/queries/runEvents.ts';
import {
  type EndpointMessage,
  forgetMessages,
  recordDelivery,
  removeMessagesBefore,
  takeMessages,
} from '../store/queries/webhookMessages.ts';
import {
  disableWebhook,
  findEndpoint,
  lockEndpoint,
  noteFailing,
  noteWorking,
  type WebhookEndpoint,
} from '../store/queries/webhooks.ts';
import { messageBody } from './body.ts';
import type { DeliveryResult, WebhookSender } from './send.ts';

/** Milliseconds between two looks for messages when there was none. */
const EVERY_MS = 500;
/** Deliveries under way at a time: of each kind, and of these of one vault or recipient; one for each endpoint. */
const PLACES = { ofKind: 16, ofOwner: 2 };
/** Milliseconds after which another process sends a message of which nothing was recorded: twice as long as a receiver may take. */
const LEASE_MS = 30_000;
/** Milliseconds between two removals of what is too old. */
const TIDY_MS = 60_000;

/** Sends a person a message once; throws the signal's reason if it aborts meanwhile. */
export type SendNotice = (
  endpoint: WebhookEndpoint,
  message: EndpointMessage,
  signal: AbortSignal,
) => Promise<DeliveryResult>;

export type WebhookWorkerInput = ListSource & {
  readonly sender: Pick<WebhookSender, 'send'>;
  readonly sendNotice: SendNotice;
  readonly time: Time;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Aborts when nothing new may begin. */
  readonly draining: AbortSignal;
  /** Aborts when what is under way must break off: it is sent again. */
  readonly signal: AbortSignal;
  /** Waits before further tries, for tests. */
  readonly waits?: readonly number[];
};

/**
 * Delivers messages to webhooks and people, each at least once. Of several processes one has a message at a time; runs never wait for any of
 * this.
 */
export class WebhookWorker {
  /** Deliveries under way, by endpoint. */
  readonly #underWay = new Map<string, Promise<void>>();
  #tidiedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly input: WebhookWorkerInput) {}

  /** Looks and delivers until `draining`; then waits for what is under way. */
  async run(): Promise<void> {
    const { time, draining } = this.input;
    await runLoop({ ...this.input, name: 'webhooks', signal: draining }, async (alive) => {
      const taken = await this.begin(alive);
      await this.#tidy();
      if (taken === 0) return EVERY_MS;
      // Where there was something, there may be more once one has ended.
      if (this.#underWay.size > 0) await Promise.race([...this.#underWay.values(), time.pause(EVERY_MS, draining)]);
      return 0;
    });
    await this.idle();
  }

  /** Begins deliveries that are due, as far as there is room; returns how many. */
  async begin(alive: Alive = unwatched): Promise<number> {
    const { database } = this.input;
    const messages = await takeMessages(database, [...this.#underWay.keys()], PLACES, LEASE_MS);
    // What a round has taken that was given up meanwhile is taken again once its lease is over.
    alive();
    for (const message of messages) {
      const delivery = this.#deliver(message).finally(() => this.#underWay.delete(message.endpoint_id));
      this.#underWay.set(message.endpoint_id, delivery);
    }
    return messages.length;
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay.values());
  }

  /** One try. What can't be recorded, or waits for a database or key service that is gone, is tried again once the lease is over. */
  async #deliver(message: EndpointMessage): Promise<void> {
    const { database, time, signal } = this.input;
    try {
      const began = time.monotonic();
      const at = time.now();
      const endpoint = await findEndpoint(database, message.endpoint_id);
      if (endpoint === undefined) return;
      const sent = await this.#send(endpoint, message, at);
      const milliseconds = Math.round(time.monotonic() - began);
      await this.#record(endpoint, message, { ...sent, at, milliseconds });
    } catch (error) {
      if (!signal.aborted) this.#sayFailed(message, error);
    }
  }

  #sayFailed({ endpoint_id: webhook }: EndpointMessage, error: unknown): void {
    this.input.log.warn({ ...errorFields(error), webhook }, 'a webhook message could not be prepared or recorded');
  }

  async #send(endpoint: WebhookEndpoint, message: EndpointMessage, at: number): Promise<DeliveryResult> {
    const { payloadKeys, sender, sendNotice, signal } = this.input;
    try {
      if (endpoint.kind !== 'webhook') return await sendNotice(endpoint, message, signal);
      const { content } = await openWebhook(payloadKeys, endpoint);
      const body = await messageBody(this.input, message, content);
      return await sender.send(content, { id: message.id, at, body }, signal);
    } catch (error) {
      if (signal.aborted || isUnreachable(error) || isDatabaseOutage(error)) throw error;
      // It will most likely be so the next time, too: it counts as a try, so that it comes ever later and to an end.
      this.#sayFailed(message, error);
      return { outcome: 'unprepared', status: null, askedMs: 0 };
    }
  }

  async #record(
    { id: webhook, kind, vault }: WebhookEndpoint,
    message: EndpointMessage,
    sent: DeliveryResult & { readonly at: number; readonly milliseconds: number },
  ): Promise<void> {
    const { database, log, metrics, time, waits } = this.input;
    const { outcome, status, askedMs, at, milliseconds } = sent;
    const { type } = message;
    const isTest = type === 'webhook.test';
    const isOver = isTest || outcome === 'delivered' || outcome === 'gone';
    const waitMs = isOver ? undefined : retryAfter(message.tries + 1, time.random(), askedMs, waits);
    const attempt = { at, outcome, status, milliseconds };
    // Together: an endpoint never stands as failing after a delivery, nor works after it is gone, not even if the process ends here.
    const recorded = await database.transaction().execute(async (transaction) => {
      await lockEndpoint(transaction, webhook);
      if (!(await recordDelivery(transaction, message, attempt, waitMs))) return undefined;
      // That a code has arrived does not say that whoever owns the address wants more.
      if (outcome === 'delivered' && type !== NOTICE_CODE) {
        await noteWorking(transaction, webhook);
        if (kind !== 'webhook') await pauseNotice(transaction, webhook, PAUSE_MS);
      }
      const failingSince = isOver || isOurs(kind, sent) ? undefined : await noteFailing(transaction, webhook, at);
      const hasFailedLong = failingSince !== undefined && at - failingSince >= FAILING_MS;
      const reason = outcome === 'gone' ? 'gone' : hasFailedLong ? 'failing' : undefined;
      const isDisabled = reason !== undefined && (await disableWebhook(transaction, webhook, reason, time.now()));
      // A recipient's.
      if (vault === null && waitMs === undefined)
        await forgetMessages(transaction, webhook, isDisabled ? undefined : message.id);
      return { disabledFor: isDisabled ? reason : undefined };
    });
    // It is another's meanwhile, or was ended: nothing is said of it here.
    if (recorded === undefined) return;
    metrics.webhookDeliveries.inc({ outcome });
    const line = { webhook, kind: type.replace('.', '-'), outcome, milliseconds, ...(status !== null && { status }) };
    if (outcome === 'delivered') {
      log.debug(line, 'webhook delivered');
      return;
    }
    log.info({ ...line, ...(waitMs !== undefined && { waitMs }) }, 'webhook not delivered');
    const { disabledFor } = recorded;
    if (disabledFor !== undefined) log.warn({ webhook, kind: disabledFor }, 'a webhook was disabled');
  }

  async #tidy(): Promise<void> {
    const { database, time } = this.input;
    if (time.now() - this.#tidiedAt < TIDY_MS) return;
    this.#tidiedAt = time.now();
    await trimEvents(database);
    await removeMessagesBefore(database, time.now() - RETENTION_MS);
    await removeUnconfirmed(database, time.now());
    await removeExpiredInvitations(database, time.now());
    await removeOldAddressChanges(database, time.now());
  }
}

/** Whether a failure is that of the service itself or of its own mail server, and of no address. */
const isOurs = (kind: EndpointKind, { outcome, status }: DeliveryResult): boolean =>
  outcome === 'unprepared' || (kind === 'mail' && status === null);
