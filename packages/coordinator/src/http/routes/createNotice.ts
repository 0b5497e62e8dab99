import type { Address } from '@solana/kit';
import type { Static } from 'typebox';
import { isMailAddress, MAX_NOTICES, mailFault, type NoticeType, RECIPIENT_NOTICES } from '../../domain/notice.ts';
import { Problem } from '../../domain/problems.ts';
import { urlFault, WEBHOOK_TYPES } from '../../domain/webhook.ts';
import type { WantedNotice } from '../../notices/noticeBook.ts';
import { BODY_CODES, json, LIMIT_FIELDS } from '../answers.ts';
import { signerProblems } from '../dashboard/access.ts';
import type { Api } from '../httpServer.ts';
import { NOTICE_EXAMPLE, NoticeBody, NoticeView } from '../noticeSchemas.ts';
import { type NoticesInput, noticeView } from '../notices.ts';
import { notPermitted, readsFor, registeredSchedule } from '../privateReads.ts';
import { SIGNED } from '../scheduleRequest.ts';
import { signerOf } from '../signatures/signer.ts';

/** Seconds after which codes may be sent again. */
const RETRY_AFTER_SECONDS = 3_600;

const schema = {
  ...SIGNED,
  operationId: 'createNotice',
  summary: 'Has a person told, by e-mail or in a chat',
  description:
    'As the employer of a schedule, or as a recipient, of what becomes of their own money. Notices say that something has happened, and neither ' +
    'names nor amounts unless details are asked for. An e-mail address is sent a code first, and nothing else until that is confirmed. The ' +
    'signature also covers `content-digest`.',
  body: NoticeBody,
  response: {
    ...signerProblems(
      'not-permitted',
      'schedule-not-found',
      ...BODY_CODES,
      'invalid-notice',
      'mail-off',
      'notices-limited',
      'ledger-unavailable',
      'key-service-unavailable',
    ),
    201: json('Kept; by e-mail it is to be confirmed', NoticeView, NOTICE_EXAMPLE, LIMIT_FIELDS),
  },
};

type Body = Static<typeof NoticeBody>;

/** POST /api/notices */
export function createNoticeRoute(app: Api, input: NoticesInput): void {
  app.post('/api/notices', { schema, config: { limit: 'private' } }, async (request, reply) => {
    const signer = await signerOf(request, reply, input);
    const wish = await wishOf(request.body, signer, input);
    const added = await input.notices.add(wish);
    if (added === 'notices') throw invalid(`You have ${MAX_NOTICES} notices, as many as you may: remove one.`);
    if (added === 'codes') {
      reply.header('retry-after', RETRY_AFTER_SECONDS);
      throw new Problem('notices-limited', 'Too many codes were sent: confirm the last one, or try again tomorrow.');
    }
    const { id, kind } = added.row;
    input.log.info({ webhook: id, kind }, 'a notice was added');
    reply.status(201);
    return noticeView(added);
  });
}

const invalid = (detail: string): Problem => new Problem('invalid-notice', detail);

/** What somebody may want. Throws `not-permitted`, `schedule-not-found`, `invalid-notice` or `mail-off`. */
async function wishOf(body: Body, owner: Address, input: NoticesInput): Promise<WantedNotice> {
  const { address: to, details = 'none' } = body;
  const scope = await scopeOf(body, owner, input);
  const known: readonly NoticeType[] = scope.vault === null ? RECIPIENT_NOTICES : WEBHOOK_TYPES;
  const types = body.types ?? known;
  const other = types.find((type) => !known.includes(type));
  if (other !== undefined) {
    throw invalid(`${other} is told ${scope.vault === null ? 'employers: name a schedule' : 'recipients: name none'}.`);
  }
  const isMail = isMailAddress(to);
  if (isMail && body.format !== undefined) throw invalid('`format` is for chats: leave it out for an e-mail address.');
  const fault = isMail ? mailFault(to) : urlFault(to, input.webhookAllowPrivate)?.replace('`url`', '`address`');
  if (fault !== undefined) throw invalid(fault);
  if (isMail && !input.sendsMail) {
    throw new Problem('mail-off', 'Give the address of a chat instead, or have the operator set SMTP_URL.');
  }
  return { owner, to, format: isMail ? null : (body.format ?? 'slack'), details, types, ...scope };
}

/** Whose money is meant: an employer's payroll, or that of a recipient, who must be one. */
async function scopeOf(
  { schedulePda, scope = 'schedule' }: Body,
  owner: Address,
  input: NoticesInput,
): Promise<Pick<WantedNotice, 'vault' | 'schedule'>> {
  if (schedulePda === undefined) {
    // Whoever is in no list could have strangers sent codes, with a new key for each.
    if ((await input.recipients.namedIn(owner)).length === 0) throw notPermitted();
    return { vault: null, schedule: null };
  }
  const schedule = await registeredSchedule(input, schedulePda as Address);
  if (!(await readsFor(input, schedule, owner))) throw notPermitted();
  return { vault: schedule.vault, schedule: scope === 'vault' ? null : schedule.address };
}
