import type { Balances } from '../balances/balances.ts';
import type { LedgerContext } from '../ledger/context.ts';
import type { FindList } from '../lists/listFinder.ts';
import type { Locks } from '../platform/leadership.ts';
import type { LiabilityStore } from '../store/liabilityStore.ts';

/** What recorders work with. */
export type RecorderContext = LedgerContext & {
  readonly store: LiabilityStore;
  readonly locks: Locks;
  readonly findList: FindList;
  readonly balances: Balances;
  /** Withdrawals that a recorded tree holds at most; undefined: as many as the ledger takes. */
  readonly mostRecorded?: number;
};
