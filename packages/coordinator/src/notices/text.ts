import { amountText, type TokenName } from '../domain/forecast.ts';
import type { RecipientNotice } from '../domain/notice.ts';
import type { WebhookType } from '../domain/webhook.ts';

/** What has happened, in words that say nothing of whose money or how much: a mail's subject and a chat's text. */
const HEADLINES: Readonly<Record<WebhookType | RecipientNotice, string>> = {
  'run.opened': 'A pay run has begun.',
  'run.held': 'A pay run is on hold: it needs a fix, and retries automatically.',
  'run.exhausted': 'A pay run needs attention: an operator has to look at it.',
  'run.completed': 'A pay run is complete.',
  'recipient.unpaid': 'A pay run has left somebody unpaid.',
  'schedule.completed': 'A payroll has ended: all of its pay runs are complete.',
  'funding.low': 'A payroll is running out of money: deposit before its next pay runs.',
  'window.late': 'A pay run is late.',
  'recipient.paid': 'You were paid.',
  'withdrawal.paid': 'A withdrawal of yours has arrived.',
  'order.ended': 'The last of your parts that stood ready was taken: your next pay stays inside until others do.',
  'address.changed': 'Where your money goes was changed. If that was not you, look at it now.',
  'recovery.changed':
    'Who may recover your balance was changed, or somebody has asked for it. If that was not you, refuse it now.',
};

/** Public facts of a message as it is stored. */
export type NoticeFacts = Readonly<Record<string, unknown>>;

export const headlineOf = (type: WebhookType | RecipientNotice): string => HEADLINES[type];

const shortened = (address: string): string => `${address.slice(0, 4)}…${address.slice(-4)}`;

/** What an employer is told who wants details, as sentences: which payroll, which window, how many and how much. */
export function payrollDetails(facts: NoticeFacts, token: TokenName | undefined): string[] {
  const { schedulePda, window, claims, paidAmount, unpaid, missing, errorCode } = facts;
  const about = [`Payroll ${shortened(String(schedulePda))}`, ...(window == null ? [] : [`window ${window}`])];
  const said = [`${about.join(', ')}.`];
  if (claims !== undefined) {
    const { paid, total } = claims as { readonly paid: number; readonly total: number };
    said.push(`Paid: ${paid} of ${total}${amountOf(paidAmount, token)}.`);
  } else if (typeof unpaid === 'number') {
    said.push(`Unpaid: ${unpaid}.`);
  }
  if (missing !== undefined && token !== undefined)
    said.push(`Shortfall: ${amountText(BigInt(String(missing)), token)}.`);
  if (typeof errorCode === 'string') said.push(`Code: ${errorCode}.`);
  return said;
}

const amountOf = (amount: unknown, token: TokenName | undefined): string =>
  amount == null || token === undefined ? '' : `, ${amountText(BigInt(String(amount)), token)}`;

/** What a recipient is told who wants details. */
export const recipientDetails = (amount: string, token: TokenName): string[] => [
  `Amount: ${amountText(BigInt(amount), token)}.`,
];
