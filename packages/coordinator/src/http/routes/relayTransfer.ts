import { Problem } from '../../domain/problems.ts';
import type { FeePayer } from '../../feeRelay/feeRelay.ts';
import { BODY_CODES, json, LIMIT_FIELDS, readProblems } from '../answers.ts';
import type { Api } from '../httpServer.ts';
import { RELAYED_EXAMPLE, RelayedBody, RelayedView } from '../recipients/schemas.ts';

const schema = {
  operationId: 'relayTransfer',
  tags: ['recipients'],
  summary: 'Pays the fee of a transfer from a fresh wallet',
  description:
    'A transaction of the base ledger that the wallet has signed and the relay pays: a limit of compute units and a price as GET /api/deployment ' +
    'names them, one transferChecked from the associated token account of a wallet that a payout has arrived in, and, where that empties it, closeAccount for ' +
    'the sponsor of the token, which has lent its rent. The destination must be there. Nobody says who they are. Answered when the ledger has ' +
    'confirmed it. The same bytes are executed once, however often they are sent.',
  body: RelayedBody,
  response: {
    ...readProblems(
      ...BODY_CODES,
      'invalid-query',
      'not-permitted',
      'relay-off',
      'invalid-transaction',
      'transaction-refused',
      'transaction-expired',
      'relay-empty',
      'ledger-unavailable',
      'transaction-unanswered',
    ),
    200: json('Confirmed, now or before', RelayedView, RELAYED_EXAMPLE, LIMIT_FIELDS),
  },
};

/** POST /api/relayed-transfers */
export function relayTransferRoute(app: Api, feeRelay: FeePayer | undefined): void {
  app.post('/api/relayed-transfers', { schema, config: { limit: 'private' } }, async (request) => {
    if (feeRelay === undefined) {
      throw new Problem('relay-off', 'Send the wallet some SOL, and the transfer to the ledger yourself.');
    }
    return { signature: await feeRelay.carry(request.body.transaction), state: 'confirmed' as const };
  });
}
