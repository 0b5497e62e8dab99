import { findActiveGrants, listGrants } from '../../store/queries/grants.ts';
import { json, LIMIT_FIELDS } from '../answers.ts';
import { GRANT_EXAMPLE, GrantsView } from '../grantSchemas.ts';
import { grantView, usesView } from '../grants.ts';
import type { Api } from '../httpServer.ts';
import { notPermitted, type PrivateReadsInput, privateProblems, readsFor } from '../privateReads.ts';
import { SIGNED, signedRequest } from '../scheduleRequest.ts';
import { ScheduleParams } from '../schemas.ts';

const schema = {
  ...SIGNED,
  operationId: 'listGrants',
  summary: 'What auditors were granted, and how they used it',
  description:
    'Signed by the employer: all grants of the schedule, those that have ended or were revoked among them, with when and for what they ' +
    'were used. Signed by an auditor: their own that are active.',
  params: ScheduleParams,
  response: {
    ...privateProblems(),
    200: json('The grants', GrantsView, { grants: [GRANT_EXAMPLE] }, LIMIT_FIELDS),
  },
};

/** GET /api/schedules/:schedulePda/grants */
export function listGrantsRoute(app: Api, input: PrivateReadsInput): void {
  const path = '/api/schedules/:schedulePda/grants';
  app.get(path, { schema, config: { limit: 'private', session: true } }, async (request, reply) => {
    const { address, signer, schedule } = await signedRequest(request, reply, input);
    if (await readsFor(input, schedule, signer)) {
      const rows = await listGrants(input.database, address);
      const grants = rows.map(async (row) => ({ ...(await grantView(input, row)), ...(await usesView(input, row)) }));
      return { grants: await Promise.all(grants) };
    }
    const own = await findActiveGrants(input.database, address, input.time.now(), signer);
    const grants = await Promise.all(own.map((row) => grantView(input, row)));
    if (grants.length === 0) throw notPermitted();
    return { grants };
  });
}
