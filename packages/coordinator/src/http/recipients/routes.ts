import type { Api } from '../httpServer.ts';
import { readBalancesRoute } from '../routes/readBalances.ts';
import { readHistoryRoute } from '../routes/readHistory.ts';
import { sendTransactionRoute } from '../routes/sendTransaction.ts';
import type { OwnInput } from './own.ts';
import type { RelayInput } from './relay.ts';

/** Everything by which a recipient looks after their own money. */
export function recipientRoutes(app: Api, input: OwnInput & RelayInput): void {
  readBalancesRoute(app, input);
  readHistoryRoute(app, input);
  sendTransactionRoute(app, input);
}
