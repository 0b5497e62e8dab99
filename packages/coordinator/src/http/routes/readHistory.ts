import { json, LIMIT_FIELDS } from '../answers.ts';
import type { Api } from '../httpServer.ts';
import { readHistory } from '../recipients/history.ts';
import { type OwnInput, ownerOf, ownProblems } from '../recipients/own.ts';
import {
  HISTORY_EXAMPLE,
  HistoryQuery,
  HistoryView,
  historyCursor,
  historyPage,
  OwnParams,
} from '../recipients/schemas.ts';
import { OwnTransfers } from '../recipients/transfers.ts';
import { SIGNED } from '../scheduleRequest.ts';

const schema = {
  ...SIGNED,
  operationId: 'readHistory',
  tags: ['recipients'],
  summary: 'What a recipient was paid, took out and paid inside',
  description:
    'Payments of settled windows over all registered lists in which they stand, withdrawals as the service has seen them, and private ' +
    'transfers that they have made or that were paid to their payment codes, each with a receipt that is verified without this service. Signed by that recipient: nobody else is shown it, the employer neither.',
  params: OwnParams,
  querystring: HistoryQuery,
  response: {
    ...ownProblems('invalid-query', 'ledger-unavailable'),
    200: json('A page of their history', HistoryView, HISTORY_EXAMPLE, LIMIT_FIELDS),
  },
};

/** GET /api/recipients/:address/history */
export function readHistoryRoute(app: Api, input: OwnInput): void {
  const path = '/api/recipients/:address/history';
  const reads = { ...input, transfers: new OwnTransfers(input) };
  app.get(path, { schema, config: { limit: 'private', session: true } }, async (request, reply) => {
    const recipient = await ownerOf(request, reply, input);
    const { items, next } = await readHistory(reads, recipient, historyPage(request.query));
    return { recipient, items, nextCursor: next === undefined ? null : historyCursor(next) };
  });
}
