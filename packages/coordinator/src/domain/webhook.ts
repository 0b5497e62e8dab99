/**
 * What an employer may be told of.
 * - `run.opened`: a window is open on the base ledger
 * - `run.held`: a run waits until the employer or an operator has fixed something; told once for each reason
 * - `run.exhausted`: a run has stopped, exhausted or failed, and an operator has to look at it
 * - `run.completed`: a window is settled, and that is final on the base ledger
 * - `recipient.unpaid`: recipients of a completed window stayed unpaid
 * - `schedule.completed`: the last window of a schedule is settled, finally
 * - `funding.low`, `window.late`: of CONDITIONS; told when it begins
 */
export const WEBHOOK_TYPES = [
  'run.opened',
  'run.held',
  'run.exhausted',
  'run.completed',
  'recipient.unpaid',
  'schedule.completed',
  'funding.low',
  'window.late',
] as const;
export type WebhookType = (typeof WEBHOOK_TYPES)[number];

/** Where a message stands; `failed`: not tried any more, unless it is asked for again. */
export const MESSAGE_STATES = ['pending', 'delivered', 'failed'] as const;
export type MessageState = (typeof MESSAGE_STATES)[number];

/**
 * What a try of a delivery came to.
 * - `delivered`: answered 2xx
 * - `gone`: answered 410, which disables the endpoint
 * - `redirected`: answered 3xx; nothing is sent to where it points
 * - `refused`: any other answer
 * - `timed-out`, `unreachable`: no whole answer in time, no connection
 * - `forbidden`: the address is of a private network
 * - `unprepared`: nothing was sent, since the service could not put the message together; such as where a payload key is missing
 */
export const DELIVERY_OUTCOMES = [
  'delivered',
  'gone',
  'redirected',
  'refused',
  'timed-out',
  'unreachable',
  'forbidden',
  'unprepared',
] as const;
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

/** Why nothing is sent to an endpoint any more: it said so (410), or failed for too long. */
export const DISABLED_REASONS = ['gone', 'failing'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** Endpoints of a vault, at most. */
export const MAX_ENDPOINTS = 10;
/** Milliseconds for which a replaced secret still signs beside the new one. */
export const PREVIOUS_SECRET_MS = 24 * 3_600_000;
/** Milliseconds of nothing but failures after which an endpoint is disabled. */
export const FAILING_MS = 3 * 24 * 3_600_000;
/** Milliseconds for which messages are kept: so far back they can be replayed. */
export const RETENTION_MS = 30 * 24 * 3_600_000;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Waits before the second try and the further ones, as Standard Webhooks advises: three days in all. */
export const RETRY_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
/** By how much a wait is longer, at most: so that many messages that failed together don't come back together. */
const JITTER = 0.2;
const LONGEST_ASKED_MS = 24 * HOUR;

/**
 * Milliseconds until a message is sent again that has failed `tries` times; undefined: no more. `random` from 0 to 1; `askedMs`: how
 * long the receiver wants to be left alone, which counts up to a day.
 */
export function retryAfter(tries: number, random: number, askedMs = 0, waits = RETRY_MS): number | undefined {
  const wait = waits[tries - 1];
  if (wait === undefined) return undefined;
  return Math.round(Math.max(wait * (1 + JITTER * random), Math.min(askedMs, LONGEST_ASKED_MS)));
}

/** The name under which a message is sent, each time the same. */
export const messageName = (id: string): string => `msg_${id}`;

/** The address of an endpoint as it may be registered; a sentence if not. */
export function urlFault(text: string, allowPrivate: boolean): string | undefined {
  if (!URL.canParse(text)) return '`url` is no address: write it as https://….';
  const url = new URL(text);
  const isHttp = url.protocol === 'https:' || (allowPrivate && url.protocol === 'http:');
  if (!isHttp) return '`url` does not begin with https://: what is sent must not be read on its way.';
  if (url.username !== '' || url.password !== '') {
    return '`url` holds a user or a password: receivers know a message by its signature.';
  }
  if (url.hash !== '') return '`url` has a part behind "#", which is never sent: leave it out.';
  return undefined;
}
