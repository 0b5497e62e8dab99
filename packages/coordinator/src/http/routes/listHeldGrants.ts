import { listHeldGrants } from '../../store/queries/grants.ts';
import { json, LIMIT_FIELDS } from '../answers.ts';
import { signerProblems } from '../dashboard/access.ts';
import { GRANT_EXAMPLE, HeldGrantsQuery, HeldGrantsView } from '../grantSchemas.ts';
import { grantView } from '../grants.ts';
import type { Api } from '../httpServer.ts';
import type { PrivateReadsInput } from '../privateReads.ts';
import { SIGNED } from '../scheduleRequest.ts';
import { signerOf } from '../signatures/signer.ts';

const PAGE = 50;

const { used: _used, uses: _uses, ...held } = GRANT_EXAMPLE;

const schema = {
  ...SIGNED,
  operationId: 'listHeldGrants',
  summary: 'What an auditor was granted, of all schedules',
  description: 'Grants to the signer that are active, in order of their ids. Signed by the auditor.',
  querystring: HeldGrantsQuery,
  response: {
    ...signerProblems('key-service-unavailable'),
    200: json('A page of grants', HeldGrantsView, { grants: [held], nextCursor: null }, LIMIT_FIELDS),
  },
};

/** GET /api/auditors/me/grants */
export function listHeldGrantsRoute(app: Api, input: PrivateReadsInput): void {
  const path = '/api/auditors/me/grants';
  app.get(path, { schema, config: { limit: 'private', session: true } }, async (request, reply) => {
    const auditor = await signerOf(request, reply, input);
    const { cursor: beyond = '' } = request.query;
    // One more than a page tells whether there is a further one.
    const found = await listHeldGrants(input.database, auditor, { at: input.time.now(), beyond, limit: PAGE + 1 });
    const page = found.slice(0, PAGE);
    const grants = await Promise.all(page.map((row) => grantView(input, row)));
    return { grants, nextCursor: found.length > PAGE ? (page.at(-1)?.id ?? null) : null };
  });
}
