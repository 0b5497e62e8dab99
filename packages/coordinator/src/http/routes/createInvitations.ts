import { LONGEST_INVITATION_MS } from '@payouts/client';
import type { Address } from '@solana/kit';
import { CLOCK_MS, MAX_INVITATIONS } from '../../domain/invitation.ts';
import { Problem } from '../../domain/problems.ts';
import { vaultOf } from '../../ledger/accounts.ts';
import { readAccount } from '../../ledger/ledger.ts';
import { addInvitations } from '../../store/queries/invitations.ts';
import { BODY_CODES, json, LIMIT_FIELDS } from '../answers.ts';
import { signerProblems } from '../dashboard/access.ts';
import type { Api } from '../httpServer.ts';
import { InvitationsBody, InvitationsKeptView } from '../invitationSchemas.ts';
import { bytesOf } from '../invitations.ts';
import { notPermitted, type PrivateReadsInput } from '../privateReads.ts';
import { SIGNED } from '../scheduleRequest.ts';
import { signerOf } from '../signatures/signer.ts';

const schema = {
  ...SIGNED,
  operationId: 'createInvitations',
  summary: 'Keeps invitations by which people give an employer their address',
  description:
    'Signed by the employer of the vault, which needs no schedule yet; the signature also covers `content-digest`. What an invitation says is ' +
    'sealed, and its link is never sent here.',
  body: InvitationsBody,
  response: {
    ...signerProblems('not-permitted', ...BODY_CODES, 'invalid-invitation', 'ledger-unavailable'),
    201: json('Kept, all of them', InvitationsKeptView, { count: 3 }, LIMIT_FIELDS),
  },
};

/** POST /api/invitations */
export function createInvitationsRoute(app: Api, input: PrivateReadsInput): void {
  app.post('/api/invitations', { schema, config: { limit: 'private' } }, async (request, reply) => {
    const signer = await signerOf(request, reply, input);
    const { vault, expiresAt, invitations } = request.body;
    const now = input.time.now();
    if (expiresAt <= now || expiresAt > now + LONGEST_INVITATION_MS + CLOCK_MS) {
      throw new Problem('invalid-invitation', 'An invitation is open until some time within the next 90 days.');
    }
    const there = vaultOf(await readAccount(input.base, vault as Address), input.program);
    if (there?.employer !== signer) throw notPermitted();
    const rows = invitations.map(({ id, content, kept }) => ({
      ...{ id: Buffer.from(id, 'hex'), employer: signer, vault, content: bytesOf(content), kept: bytesOf(kept) },
      ...{ created_at: now, expires_at: expiresAt },
    }));
    if (!(await addInvitations(input.database, signer, rows, now))) {
      throw new Problem(
        'invalid-invitation',
        `${MAX_INVITATIONS} invitations are open at a time, at most: take or withdraw some.`,
      );
    }
    reply.status(201);
    return { count: rows.length };
  });
}
