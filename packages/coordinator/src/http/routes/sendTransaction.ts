import { BODY_CODES, json, LIMIT_FIELDS, readProblems } from '../answers.ts';
import type { Api } from '../httpServer.ts';
import { checkBalance, type RelayInput, relay } from '../recipients/relay.ts';
import { TRANSACTION_EXAMPLE, TransactionBody, TransactionView } from '../recipients/schemas.ts';
import { readOwnTransaction } from '../recipients/transaction.ts';

const schema = {
  operationId: 'sendTransaction',
  tags: ['recipients'],
  summary: "Has a recipient's own transaction executed",
  description:
    'Passes a transaction on to the execution layer that a recipient has built: requestWithdrawal, redirectWithdrawal, ' +
    'cancelWithdrawal, setStandingOrder, nameRecovery or refuseRecovery, or their recovery wallet: requestRecovery or completeRecovery; one of them, ' +
    'right behind an instruction of the Ed25519 program with the authorisation of whoever it is, and the compute ' +
    'budget. It is signed by the authorised key, which is made for it; the recipient is none of its accounts. Anything else is refused ' +
    'before it is sent. ' +
    'Answered when the execution layer has executed it. The same bytes are executed once, however often they are sent.',
  body: TransactionBody,
  response: {
    ...readProblems(
      ...BODY_CODES,
      'invalid-query',
      'not-permitted',
      'invalid-transaction',
      'transaction-refused',
      'transaction-expired',
      'layer-unavailable',
      'transaction-unanswered',
    ),
    200: json('Executed, now or before', TransactionView, TRANSACTION_EXAMPLE, LIMIT_FIELDS),
  },
};

/** POST /api/transactions */
export function sendTransactionRoute(app: Api, input: RelayInput): void {
  app.post('/api/transactions', { schema, config: { limit: 'private' } }, async (request) => {
    const transaction = readOwnTransaction(request.body.transaction, input.program);
    await checkBalance(input, transaction);
    await relay(input, transaction);
    return { signature: transaction.signature, state: 'executed' as const };
  });
}
