import type { Address } from '@solana/kit';
import type { NoticeBook } from '../../notices/noticeBook.ts';
import { errorFields } from '../../platform/log/errorFields.ts';
import type { Logger } from '../../platform/log/log.ts';
import { BODY_CODES, json, LIMIT_FIELDS, readProblems } from '../answers.ts';
import type { Api } from '../httpServer.ts';
import { checkBalance, type RelayInput, relay } from '../recipients/relay.ts';
import { TRANSACTION_EXAMPLE, TransactionBody, TransactionView } from '../recipients/schemas.ts';
import { type OwnTransaction, readOwnTransaction } from '../recipients/transaction.ts';

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

type SendInput = RelayInput & { readonly notices: Pick<NoticeBook, 'tell'>; readonly log: Logger };

/** POST /api/transactions */
export function sendTransactionRoute(app: Api, input: SendInput): void {
  app.post('/api/transactions', { schema, config: { limit: 'private' } }, async (request) => {
    const transaction = readOwnTransaction(request.body.transaction, input.program);
    const recipient = await checkBalance(input, transaction);
    if (await relay(input, transaction)) await tellOf(input, transaction, recipient);
    return { signature: transaction.signature, state: 'executed' as const };
  });
}

/** Has a recipient told of what was executed, if they want to be. It stands whether they are told or not. */
async function tellOf({ notices, log }: SendInput, { use }: OwnTransaction, recipient: Address): Promise<void> {
  if (use.notice === undefined) return;
  await notices.tell(recipient, use.notice).catch((error: unknown) => {
    log.warn(
      { kind: use.notice?.replace('.', '-'), ...errorFields(error) },
      'a recipient could not be told of a change',
    );
  });
}
