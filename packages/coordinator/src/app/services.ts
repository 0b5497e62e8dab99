import { randomBytes } from 'node:crypto';
import { secureRandomBelow } from '@payouts/client';
import { Balances } from '../balances/balances.ts';
import { LiabilityRecorders } from '../liabilities/recorders.ts';
import { listFinder } from '../lists/listFinder.ts';
import { PayableLists } from '../lists/payableLists.ts';
import { RecipientIndex } from '../lists/recipientIndex.ts';
import { NoticeBook } from '../notices/noticeBook.ts';
import { sqlBalanceStore } from '../store/balanceStore.ts';
import { sqlLiabilityStore } from '../store/liabilityStore.ts';
import { WithdrawalBook } from '../withdrawals/withdrawalBook.ts';
import type { ConnectedLedgers } from './ledgers.ts';
import type { Runtime } from './runtime.ts';
import type { Store } from './store.ts';

/** Bytes that make a page's address unguessable. */
const NONCE_BYTES = 16;

/** What runs, workers and the API share over the store and the ledgers. */
export type Services = {
  readonly payableLists: PayableLists;
  readonly balances: Balances;
  readonly recipients: RecipientIndex;
  /** What the recorders and the withdrawals' worker work with. */
  readonly recording: ConstructorParameters<typeof LiabilityRecorders>[0];
  readonly liabilities: LiabilityRecorders;
  readonly withdrawals: WithdrawalBook;
  readonly notices: NoticeBook;
};

export function createServices(runtime: Runtime, ledgers: ConnectedLedgers, store: Store): Services {
  const { time, log, lifecycle } = runtime;
  const { payloadKeys, locks } = store;
  const database = store.database.query;
  const signal = lifecycle.stopping;
  const payableLists = new PayableLists({ database, payloadKeys });
  const balances = new Balances({
    ...ledgers,
    ...runtime,
    store: sqlBalanceStore(database, payloadKeys),
    randomBelow: secureRandomBelow,
    newNonce: () => randomBytes(NONCE_BYTES),
    mostBalances: runtime.settings.layerBalances,
  });
  const recipients = new RecipientIndex({ database, payloadKeys, time, log, signal });
  lifecycle.atEnd(() => recipients.idle());
  recipients.prepare();
  const recording = {
    ...ledgers,
    ...runtime,
    signal,
    locks,
    store: sqlLiabilityStore(database, payloadKeys),
    findList: listFinder(database, payableLists),
    balances,
  };
  const liabilities = new LiabilityRecorders(recording);
  const withdrawals = new WithdrawalBook({ database, payloadKeys, time });
  const spreadMs = runtime.settings.noticeSpreadSeconds * 1_000;
  const notices = new NoticeBook({ database, payloadKeys, time, spreadMs });
  return { payableLists, balances, recipients, recording, liabilities, withdrawals, notices };
}
