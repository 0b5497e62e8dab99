import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { Problem, type ProblemCode } from '../domain/problems.ts';
import type { RecipientIndex } from '../lists/recipientIndex.ts';
import type { NoticeBook, OpenedNotice } from '../notices/noticeBook.ts';
import { signerProblems } from './dashboard/access.ts';
import type { NoticeView } from './noticeSchemas.ts';
import type { PrivateReadsInput } from './privateReads.ts';
import { signerOf } from './signatures/signer.ts';
import { isUuid } from './uuid.ts';

/** What the routes for notices work with. */
export type NoticesInput = PrivateReadsInput & {
  readonly notices: NoticeBook;
  readonly recipients: Pick<RecipientIndex, 'namedIn'>;
  /** Whether e-mail can be sent. */
  readonly sendsMail: boolean;
  /** Whether chats may be in private networks and over plain HTTP. */
  readonly webhookAllowPrivate: boolean;
};

type AboutNotice = FastifyRequest & { readonly params: { readonly id: string } };

/** The notice of the signer that a request is about. Throws `notice-not-found`, and as `signerOf`. */
export async function noticeRequest(
  request: AboutNotice,
  reply: FastifyReply,
  input: NoticesInput,
): Promise<OpenedNotice> {
  const signer = await signerOf(request, reply, input);
  const { id } = request.params;
  const notice = isUuid(id) ? await input.notices.find(signer, id) : undefined;
  if (notice !== undefined) return notice;
  throw new Problem(
    'notice-not-found',
    'You have no notice with this id; what was not confirmed within an hour is gone.',
  );
}

/** The errors of a route about one notice. */
export const noticeProblems = (...codes: readonly ProblemCode[]): ReturnType<typeof signerProblems> =>
  signerProblems('notice-not-found', ...codes, 'key-service-unavailable');

/** A notice as the routes show it. */
export function noticeView({ row, content }: OpenedNotice): Static<typeof NoticeView> {
  const { disabled_why: why } = row;
  const failing = row.failing_since === null ? 'active' : 'failing';
  return {
    id: row.id,
    address: content.to,
    format: content.format,
    vault: row.vault,
    schedulePda: row.schedule,
    types: row.types,
    details: content.details,
    state: why === 'unconfirmed' ? why : why === null ? failing : 'disabled',
    disabledWhy: why === 'unconfirmed' ? null : why,
    createdAt: Number(row.created_at),
  };
}
