import { removeInvitation } from '../../store/queries/invitations.ts';
import { json, LIMIT_FIELDS } from '../answers.ts';
import { signerProblems } from '../dashboard/access.ts';
import type { Api } from '../httpServer.ts';
import { INVITATION_REMOVED, InvitationParams, InvitationRemovedView } from '../invitationSchemas.ts';
import { noInvitation } from '../invitations.ts';
import { SIGNED } from '../scheduleRequest.ts';
import { type SignerInput, signerOf } from '../signatures/signer.ts';

const ID = /^[0-9a-f]{64}$/;

const schema = {
  ...SIGNED,
  operationId: 'removeInvitation',
  summary: 'Forgets an invitation with its answers, at once',
  description: 'Its link opens nothing any more. Signed by the employer who has sent it.',
  params: InvitationParams,
  response: {
    ...signerProblems('invitation-not-found'),
    200: json('Forgotten', InvitationRemovedView, INVITATION_REMOVED, LIMIT_FIELDS),
  },
};

/** DELETE /api/invitations/:id */
export function removeInvitationRoute(app: Api, input: SignerInput): void {
  app.delete('/api/invitations/:id', { schema, config: { limit: 'private' } }, async (request, reply) => {
    const signer = await signerOf(request, reply, input);
    const { id } = request.params;
    if (!ID.test(id) || !(await removeInvitation(input.database, signer, Buffer.from(id, 'hex')))) throw noInvitation();
    return { id };
  });
}
