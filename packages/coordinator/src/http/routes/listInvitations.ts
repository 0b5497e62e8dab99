import type { Address } from '@solana/kit';
import { listInvitations } from '../../store/queries/invitations.ts';
import { json, LIMIT_FIELDS } from '../answers.ts';
import { signerProblems } from '../dashboard/access.ts';
import type { Api } from '../httpServer.ts';
import { INVITATIONS_EXAMPLE, InvitationsView } from '../invitationSchemas.ts';
import { hexOf, textOf } from '../invitations.ts';
import { SIGNED } from '../scheduleRequest.ts';
import { type SignerInput, signerOf } from '../signatures/signer.ts';

const schema = {
  ...SIGNED,
  operationId: 'listInvitations',
  summary: "The signer's open invitations, with what was answered",
  description: 'Of the employer who signs. Everything is sealed; the employer has the key.',
  response: {
    ...signerProblems(),
    200: json('The invitations', InvitationsView, INVITATIONS_EXAMPLE, LIMIT_FIELDS),
  },
};

/** GET /api/invitations */
export function listInvitationsRoute(app: Api, input: SignerInput): void {
  app.get('/api/invitations', { schema, config: { limit: 'private', session: true } }, async (request, reply) => {
    const signer = await signerOf(request, reply, input);
    const rows = await listInvitations(input.database, signer, input.time.now());
    const invitations = rows.map(
      ({ id, content, kept, vault, created_at: createdAt, expires_at: expiresAt, answers }) => ({
        ...{ id: hexOf(id), content: textOf(content), kept: textOf(kept), vault: vault as Address },
        ...{ createdAt: Number(createdAt), expiresAt: Number(expiresAt) },
        answers: answers.map(({ sealed, answered_at: at }) => ({ sealed: textOf(sealed), answeredAt: Number(at) })),
      }),
    );
    return { invitations };
  });
}
