import type { Time } from '@payouts/client';
import type { Address } from '@solana/kit';
import { findInvitation } from '../../store/queries/invitations.ts';
import type { Db } from '../../store/schema.ts';
import { BODY_CODES, json, LIMIT_FIELDS, readProblems } from '../answers.ts';
import type { Api } from '../httpServer.ts';
import { OPEN_EXAMPLE, OpenBody, OpenView } from '../invitationSchemas.ts';
import { idOfToken, noInvitation, textOf } from '../invitations.ts';

const schema = {
  operationId: 'openInvitation',
  tags: ['invitations'],
  summary: 'What an invitation says, to whoever has its link',
  description:
    'Sealed with a key that the link has. One that is unknown, expired, used or withdrawn is answered alike.',
  body: OpenBody,
  response: {
    ...readProblems(...BODY_CODES, 'invalid-query', 'invitation-not-found'),
    200: json('It is open', OpenView, OPEN_EXAMPLE, LIMIT_FIELDS),
  },
};

/** POST /api/invitation-lookups */
export function openInvitationRoute(
  app: Api,
  input: { readonly database: Db; readonly time: Pick<Time, 'now'> },
): void {
  app.post('/api/invitation-lookups', { schema, config: { limit: 'read' } }, async (request) => {
    const found = await findInvitation(input.database, idOfToken(request.body.token), input.time.now());
    if (found === undefined) throw noInvitation();
    return { vault: found.vault as Address, content: textOf(found.content), expiresAt: Number(found.expires_at) };
  });
}
