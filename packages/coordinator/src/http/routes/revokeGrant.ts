import { Problem } from '../../domain/problems.ts';
import { revokeGrant } from '../../store/queries/grants.ts';
import { json, LIMIT_FIELDS } from '../answers.ts';
import { GRANT_EXAMPLE, GrantParams, GrantView } from '../grantSchemas.ts';
import { grantView, usesView } from '../grants.ts';
import type { Api } from '../httpServer.ts';
import { type PrivateReadsInput, privateProblems } from '../privateReads.ts';
import { clerkRequest, SIGNED } from '../scheduleRequest.ts';
import { isUuid } from '../uuid.ts';

const REVOKED_EXAMPLE = { ...GRANT_EXAMPLE, state: 'revoked' as const, revokedAt: 1_797_000_000_000 };

const schema = {
  ...SIGNED,
  operationId: 'revokeGrant',
  summary: 'Ends a grant at once',
  description: 'The grant gives nothing from now on; it is kept, with how it was used. Signed by the employer.',
  params: GrantParams,
  response: {
    ...privateProblems('grant-not-found'),
    200: json('Revoked, now or before', GrantView, REVOKED_EXAMPLE, LIMIT_FIELDS),
  },
};

/** DELETE /api/schedules/:schedulePda/grants/:id */
export function revokeGrantRoute(app: Api, input: PrivateReadsInput): void {
  const path = '/api/schedules/:schedulePda/grants/:id';
  app.delete(path, { schema, config: { limit: 'private' } }, async (request, reply) => {
    const { address } = await clerkRequest(request, reply, input);
    const { id } = request.params;
    const row = isUuid(id) ? await revokeGrant(input.database, address, id, input.time.now()) : undefined;
    if (row === undefined) throw new Problem('grant-not-found', 'No grant of this schedule has this id.');
    input.log.info({ schedule: address, grant: row.id }, 'a grant was revoked');
    return { ...(await grantView(input, row)), ...(await usesView(input, row)) };
  });
}
