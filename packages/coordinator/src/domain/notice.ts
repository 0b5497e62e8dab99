import { WEBHOOK_TYPES, type WebhookType } from './webhook.ts';

/** Who is told: an employer's program, or a person by e-mail or in a chat. */
export type EndpointKind = 'webhook' | 'mail' | 'chat';

/**
 * What a recipient may be told of.
 * - `recipient.paid`: a window that paid them is settled, and that is final on the base ledger
 * - `withdrawal.paid`: a withdrawal of theirs has arrived
 * - `order.ended`: the last of a balance's parts that stood ready waits for its round, so later pay stays inside
 * - `address.changed`: a standing order was set or ended, or a withdrawal redirected
 * - `recovery.changed`: a recovery wallet was named or removed, or a recovery asked for, refused or completed
 */
export const RECIPIENT_NOTICES = [
  'recipient.paid',
  'withdrawal.paid',
  'order.ended',
  'address.changed',
  'recovery.changed',
] as const;
export type RecipientNotice = (typeof RECIPIENT_NOTICES)[number];
export type NoticeType = WebhookType | RecipientNotice;
export const NOTICE_TYPES: readonly NoticeType[] = [...WEBHOOK_TYPES, ...RECIPIENT_NOTICES];

/** The message that takes a code to an address, which has to be sent back before anything else goes there. */
export const NOTICE_CODE = 'notice.code';

/** How a chat takes a message: Slack, and Mattermost and Rocket.Chat in the same form; Discord; Microsoft Teams. */
export const CHAT_FORMATS = ['slack', 'discord', 'teams'] as const;
export type ChatFormat = (typeof CHAT_FORMATS)[number];

/** What a notice says: that something has happened, or amounts and which payroll, too. */
export const NOTICE_DETAILS = ['none', 'amounts'] as const;
export type NoticeDetails = (typeof NOTICE_DETAILS)[number];

/** Notices of a key, at most. */
export const MAX_NOTICES = 10;
/** Milliseconds for which a code is good, and an address is kept that has not sent it back. */
export const CODE_MS = 3_600_000;
/** Milliseconds in which codes are counted to an address and by a key, and how many there may be. */
export const CODES_WITHIN_MS = 24 * 3_600_000;
export const CODES_TO_ADDRESS = 3;
export const CODES_BY_OWNER = 10;
/** Codes of an hour, of all keys to all addresses together. */
export const CODES_AN_HOUR = 500;
/** Milliseconds for which an employer's notice says no more after a message, so that many payrolls that are due together are told together. */
export const PAUSE_MS = 300_000;
/** Messages of one type that wait for a person at a time: those that say no more than their type are one. */
export const WAITING_PLAIN = 1;
export const WAITING_WITH_DETAILS = 20;

/**
 * Whether the base ledger shows the moment to everybody: a message at that moment would tell whoever carries it which one is meant. An order
 * in rounds ends by the pay that it takes.
 */
export const isTimedByLedger = (type: RecipientNotice): boolean =>
  type === 'recipient.paid' || type === 'withdrawal.paid' || type === 'order.ended';

const LONGEST_ADDRESS = 254;
/** One address without a name or comments: nothing that a mail's headers could be made of. */
const MAIL_ADDRESS =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63}$/;

/** Whether a text is meant as an e-mail address. */
export const isMailAddress = (text: string): boolean => text.includes('@') && !text.includes('://');

/** Why nothing can be sent to an e-mail address, as a sentence; undefined: it can. */
export function mailFault(text: string): string | undefined {
  if (text.length <= LONGEST_ADDRESS && MAIL_ADDRESS.test(text)) return undefined;
  return '`address` is no e-mail address: write it as ada@example.com.';
}
