import { json, LIMIT_FIELDS } from '../answers.ts';
import type { Api } from '../httpServer.ts';
import { NOTICE_EXAMPLE, NoticeParams, NoticeView } from '../noticeSchemas.ts';
import { type NoticesInput, noticeProblems, noticeRequest, noticeView } from '../notices.ts';
import { SIGNED } from '../scheduleRequest.ts';

const schema = {
  ...SIGNED,
  operationId: 'removeNotice',
  summary: 'Forgets a notice, and where it went, at once',
  description: 'Nothing is sent there any more, what waits among it. Signed by whoever has added it.',
  params: NoticeParams,
  response: {
    ...noticeProblems(),
    200: json('As it was', NoticeView, NOTICE_EXAMPLE, LIMIT_FIELDS),
  },
};

/** DELETE /api/notices/:id */
export function removeNoticeRoute(app: Api, input: NoticesInput): void {
  app.delete('/api/notices/:id', { schema, config: { limit: 'private' } }, async (request, reply) => {
    const notice = await noticeRequest(request, reply, input);
    await input.notices.remove(notice);
    input.log.info({ webhook: notice.row.id }, 'a notice was removed');
    return noticeView(notice);
  });
}
