import type { AddressChangesRouteInput } from '../addressChanges.ts';
import { json, LIMIT_FIELDS } from '../answers.ts';
import { signerProblems } from '../dashboard/access.ts';
import type { Api } from '../httpServer.ts';
import { ADDRESS_CHANGES_EXAMPLE, AddressChangesView } from '../invitationSchemas.ts';
import { SIGNED } from '../scheduleRequest.ts';
import { signerOf } from '../signatures/signer.ts';

const schema = {
  ...SIGNED,
  operationId: 'listAddressChanges',
  summary: "What the signer's recipients ask for: to be paid to other addresses",
  description: 'Of the employer who signs. Whoever reads it verifies the signatures.',
  response: {
    ...signerProblems('key-service-unavailable'),
    200: json('The requests', AddressChangesView, ADDRESS_CHANGES_EXAMPLE, LIMIT_FIELDS),
  },
};

/** GET /api/address-changes */
export function listAddressChangesRoute(app: Api, input: AddressChangesRouteInput): void {
  app.get('/api/address-changes', { schema, config: { limit: 'private', session: true } }, async (request, reply) => {
    const changes = await input.changes.of(await signerOf(request, reply, input));
    return { changes };
  });
}
