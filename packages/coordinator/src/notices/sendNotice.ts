import type { Address } from '@solana/kit';
import type { TokenName } from '../domain/forecast.ts';
import { NOTICE_CODE, type RecipientNotice } from '../domain/notice.ts';
import { messageName, type WebhookType } from '../domain/webhook.ts';
import type { PayloadKeys } from '../store/crypto/payloadKeys.ts';
import { type NoticeContent, openDetails, openNotice } from '../store/crypto/webhookSeal.ts';
import { findTokens } from '../store/queries/funds.ts';
import { findSchedule } from '../store/queries/schedules.ts';
import type { EndpointMessage } from '../store/queries/webhookMessages.ts';
import type { WebhookEndpoint } from '../store/queries/webhooks.ts';
import type { Db } from '../store/schema.ts';
import type { WebhookSender } from '../webhooks/send.ts';
import type { SendNotice } from '../webhooks/worker.ts';
import { chatBody } from './chat.ts';
import { ifReadable } from './ifReadable.ts';
import type { Mailer } from './mail.ts';
import type { OwnerReads } from './ownerReads.ts';
import { headlineOf, payrollDetails, recipientDetails } from './text.ts';

export type SendNoticeInput = {
  readonly database: Db;
  readonly payloadKeys: PayloadKeys;
  readonly sender: Pick<WebhookSender, 'post'>;
  /** Undefined: no e-mail is sent. */
  readonly mailer: Pick<Mailer, 'send'> | undefined;
  readonly ownerReads: OwnerReads;
  /** Where people reach the service's pages, such as https://payouts.example.com. */
  readonly origin: string;
};

/** What a person is told: a line that names nothing, and what follows it. */
type NoticeText = { readonly headline: string; readonly more: readonly string[] };

/** To somebody who has lost their role with the employer: as if the address were gone. */
const NOT_SENT = { outcome: 'gone', status: null, askedMs: 0 } as const;

/** Sends people their messages, in words; all that is private is put together for each try and kept nowhere. */
export function noticeSender(input: SendNoticeInput): SendNotice {
  const { payloadKeys, sender, mailer, ownerReads, origin } = input;
  return async (endpoint, message, signal) => {
    const { key, content } = await openNotice(payloadKeys, endpoint);
    const { to, format, token, owner } = content;
    if (endpoint.vault !== null && !(await ownerReads(endpoint.vault, owner))) return NOT_SENT;
    const text = await textOf(input, { endpoint, key, content }, message);
    if (format !== null) {
      const lines = [text.headline, ...text.more].join('\n');
      return sender.post(to, { headers: {}, body: chatBody(format, lines) }, signal);
    }
    if (mailer === undefined) return { outcome: 'unreachable', status: null, askedMs: 0 };
    const unsubscribe = message.type === NOTICE_CODE ? undefined : `${origin}/api/unsubscribe/${token}`;
    const ending = unsubscribe === undefined ? [] : [`To stop these messages: ${unsubscribe}`];
    const mail = {
      id: messageName(message.id),
      to,
      subject: text.headline,
      text: [text.headline, ...text.more, ...ending].join('\n\n'),
      unsubscribe,
    };
    return mailer.send(mail, signal);
  };
}

type Opened = { readonly endpoint: WebhookEndpoint; readonly key: Uint8Array; readonly content: NoticeContent };

async function textOf(input: SendNoticeInput, opened: Opened, message: EndpointMessage): Promise<NoticeText> {
  const { origin } = input;
  const { endpoint, content } = opened;
  if (message.type === NOTICE_CODE) return codeText(endpoint.id, content.code ?? '');
  const headline = headlineOf(message.type as WebhookType | RecipientNotice);
  const details = content.details === 'none' ? [] : await detailsOf(input, opened, message);
  const page = endpoint.vault === null ? '/recipient/' : '/';
  return { headline, more: [...details, `Sign in to see it: ${origin}${page}`] };
}

const codeText = (id: string, code: string): NoticeText => ({
  headline: 'Confirm your e-mail address.',
  more: [
    `Your code: ${code}`,
    'Enter it within an hour where you asked for notices, or run:',
    `payout notices confirm ${id} ${code}`,
    'If you did not ask for this, do nothing: your address is forgotten within the hour.',
  ],
});

async function detailsOf(
  { database }: SendNoticeInput,
  { endpoint, key }: Opened,
  { schedule, data, sealed }: EndpointMessage,
): Promise<string[]> {
  if (schedule !== null) {
    const mint = (await findSchedule(database, schedule))?.mint;
    return payrollDetails(data, mint === undefined ? undefined : await tokenNamed(database, mint));
  }
  if (sealed === null) return [];
  // Its key may be renewed at this moment: that it happened is told all the same.
  const details = await ifReadable(async () => openDetails(key, endpoint, sealed));
  return details === undefined ? [] : recipientDetails(details.amount, await tokenNamed(database, details.mint));
}

async function tokenNamed(database: Db, mint: string): Promise<TokenName> {
  const named = mint as Address;
  const token = (await findTokens(database, [named])).get(named);
  return { mint, symbol: token?.symbol ?? null, decimals: token?.decimals ?? 0 };
}
