import type { Time } from '@payouts/client';
import { Problem } from '../../domain/problems.ts';
import { addAnswer } from '../../store/queries/invitations.ts';
import type { Db } from '../../store/schema.ts';
import { BODY_CODES, json, LIMIT_FIELDS, readProblems } from '../answers.ts';
import type { Api } from '../httpServer.ts';
import { AnswerBody, AnswerView } from '../invitationSchemas.ts';
import { bytesOf, idOfToken, noInvitation } from '../invitations.ts';

const schema = {
  operationId: 'answerInvitation',
  tags: ['invitations'],
  summary: 'Gives an employer an address by the link of an invitation',
  description:
    'Sealed for the employer, who verifies the proof in it. The same address again changes nothing; another one is kept beside the first, and the ' +
    'employer sees both.',
  body: AnswerBody,
  response: {
    ...readProblems(...BODY_CODES, 'invalid-query', 'invitation-not-found', 'invitation-answered'),
    200: json('Kept, now or before', AnswerView, { state: 'kept' }, LIMIT_FIELDS),
  },
};

/** POST /api/invitation-answers */
export function answerInvitationRoute(
  app: Api,
  { database, time }: { readonly database: Db; readonly time: Pick<Time, 'now'> },
): void {
  app.post('/api/invitation-answers', { schema, config: { limit: 'read' } }, async (request) => {
    const { token, mark, sealed } = request.body;
    const answer = { invitation: idOfToken(token), mark: bytesOf(mark), sealed: bytesOf(sealed) };
    const state = await addAnswer(database, answer, time.now());
    if (state === 'kept') return { state };
    if (state === 'unknown') throw noInvitation();
    throw new Problem(
      'invitation-answered',
      'Others have answered it, with other addresses. If that was not you, somebody else has your link: tell your employer, who can send another one.',
    );
  });
}
