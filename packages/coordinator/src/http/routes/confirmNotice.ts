import { Problem } from '../../domain/problems.ts';
import { BODY_CODES, json, LIMIT_FIELDS } from '../answers.ts';
import type { Api } from '../httpServer.ts';
import { CodeBody, NOTICE_EXAMPLE, NoticeParams, NoticeView } from '../noticeSchemas.ts';
import { type NoticesInput, noticeProblems, noticeRequest, noticeView } from '../notices.ts';
import { SIGNED } from '../scheduleRequest.ts';

const schema = {
  ...SIGNED,
  operationId: 'confirmNotice',
  summary: 'Confirms an e-mail address with the code that was sent to it',
  description:
    'Within an hour; from then on the notice is sent. Signed by whoever has added it; the signature also covers `content-digest`.',
  params: NoticeParams,
  body: CodeBody,
  response: {
    ...noticeProblems(...BODY_CODES, 'wrong-code'),
    200: json('Confirmed, now or before', NoticeView, { ...NOTICE_EXAMPLE, state: 'active' }, LIMIT_FIELDS),
  },
};

/** POST /api/notices/:id/code */
export function confirmNoticeRoute(app: Api, input: NoticesInput): void {
  app.post('/api/notices/:id/code', { schema, config: { limit: 'private' } }, async (request, reply) => {
    const notice = await noticeRequest(request, reply, input);
    if (!(await input.notices.confirm(notice, request.body.code))) {
      throw new Problem('wrong-code', 'Look at the last e-mail with a code; after an hour, add the notice again.');
    }
    return { ...noticeView(notice), state: 'active' as const };
  });
}
