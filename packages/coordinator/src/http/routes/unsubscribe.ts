import type { NoticeBook } from '../../notices/noticeBook.ts';
import { LIMIT_FIELDS, readProblems, text } from '../answers.ts';
import type { Api } from '../httpServer.ts';
import { UnsubscribeParams } from '../noticeSchemas.ts';

const HTML = 'text/html';
const PATH = '/api/unsubscribe/:token';
/** What a mail program posts (RFC 8058) is one word. */
const BODY_BYTES = 1_024;
const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data'];

const page = (content: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Notices</title><main>${content}</main></html>\n`;
/** Asked for first: programs that look through mails open every link. The form posts to where it is. */
const ASKED = page('<h1>Stop these messages?</h1><form method="post"><button>Stop them</button></form>');
const DONE = page('<h1>You get no more of these messages.</h1><p>The address was forgotten.</p>');

const schema = {
  tags: ['notices'],
  params: UnsubscribeParams,
};

/** GET and POST /api/unsubscribe/:token. Both answer alike whatever the token is. */
export function unsubscribeRoutes(app: Api, { notices }: { readonly notices: Pick<NoticeBook, 'unsubscribe'> }): void {
  const asking = {
    ...schema,
    operationId: 'askToUnsubscribe',
    summary: 'Asks whether notices are to end',
    description: 'What the link in an e-mail opens. Nothing has ended yet.',
    response: { ...readProblems('invalid-query'), 200: text('A page that asks', HTML, ASKED, LIMIT_FIELDS) },
  };
  app.get(PATH, { schema: asking, config: { limit: 'read' } }, async (_request, reply) => {
    reply.type(`${HTML}; charset=utf-8`);
    return ASKED;
  });

  app.removeAllContentTypeParsers();
  app.addContentTypeParser(FORMS, { parseAs: 'string', bodyLimit: BODY_BYTES }, (_request, _body, done) => done(null));
  const ending = {
    ...schema,
    operationId: 'unsubscribe',
    summary: 'Ends notices, and forgets where they went',
    description:
      'What a mail program sends when its reader unsubscribes (RFC 8058), and the page of the link. Needs no signature: the token is enough.',
    response: {
      ...readProblems('invalid-query', 'body-too-large', 'unsupported-media-type'),
      200: text('Ended, now or before', HTML, DONE, LIMIT_FIELDS),
    },
  };
  app.post(PATH, { schema: ending, config: { limit: 'read' } }, async (request, reply) => {
    await notices.unsubscribe(request.params.token);
    reply.type(`${HTML}; charset=utf-8`);
    return DONE;
  });
}
