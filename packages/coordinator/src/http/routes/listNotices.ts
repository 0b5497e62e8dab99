import { json, LIMIT_FIELDS } from '../answers.ts';
import { signerProblems } from '../dashboard/access.ts';
import type { Api } from '../httpServer.ts';
import { NOTICE_EXAMPLE, NoticesView } from '../noticeSchemas.ts';
import { type NoticesInput, noticeView } from '../notices.ts';
import { SIGNED } from '../scheduleRequest.ts';
import { signerOf } from '../signatures/signer.ts';

const schema = {
  ...SIGNED,
  operationId: 'listNotices',
  summary: "The signer's notices",
  description: 'All of a key, as an employer and as a recipient.',
  response: {
    ...signerProblems('key-service-unavailable'),
    200: json('The notices', NoticesView, { notices: [NOTICE_EXAMPLE] }, LIMIT_FIELDS),
  },
};

/** GET /api/notices */
export function listNoticesRoute(app: Api, input: NoticesInput): void {
  app.get('/api/notices', { schema, config: { limit: 'private', session: true } }, async (request, reply) => {
    const signer = await signerOf(request, reply, input);
    return { notices: (await input.notices.of(signer)).map(noticeView) };
  });
}
