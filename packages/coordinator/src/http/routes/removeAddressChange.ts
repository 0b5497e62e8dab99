import { Problem } from '../../domain/problems.ts';
import { removeAddressChange } from '../../store/queries/addressChanges.ts';
import { json, LIMIT_FIELDS } from '../answers.ts';
import { signerProblems } from '../dashboard/access.ts';
import type { Api } from '../httpServer.ts';
import { ADDRESS_CHANGE_ID, AddressChangeIdView, AddressChangeParams } from '../invitationSchemas.ts';
import { SIGNED } from '../scheduleRequest.ts';
import { type SignerInput, signerOf } from '../signatures/signer.ts';
import { isUuid } from '../uuid.ts';

const schema = {
  ...SIGNED,
  operationId: 'removeAddressChange',
  summary: "Forgets a recipient's request for another address, at once",
  description: 'Signed by the employer, once it is in their list or refused.',
  params: AddressChangeParams,
  response: {
    ...signerProblems('address-change-not-found'),
    200: json('Forgotten', AddressChangeIdView, ADDRESS_CHANGE_ID, LIMIT_FIELDS),
  },
};

/** DELETE /api/address-changes/:id */
export function removeAddressChangeRoute(app: Api, input: SignerInput): void {
  app.delete('/api/address-changes/:id', { schema, config: { limit: 'private' } }, async (request, reply) => {
    const signer = await signerOf(request, reply, input);
    const { id } = request.params;
    if (isUuid(id) && (await removeAddressChange(input.database, signer, id))) return { id };
    throw new Problem('address-change-not-found', 'It was taken, replaced or forgotten.');
  });
}
