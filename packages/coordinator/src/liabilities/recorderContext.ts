import type { Time } from '@payouts/client';
import type { Address, TransactionPartialSigner } from '@solana/kit';
import type { Failpoint } from '../ledger/failpoints.ts';
import type { BaseLedger, ExecutionLayer } from '../ledger/ledger.ts';
import type { FindList } from '../lists/listFinder.ts';
import type { Locks } from '../platform/leadership.ts';
import type { Logger } from '../platform/log/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { LiabilityStore } from '../store/liabilityStore.ts';

/** What whatever acts on both ledgers works with. */
export type LedgerContext = {
  readonly program: Address;
  readonly config: Address;
  readonly authority: TransactionPartialSigner;
  readonly base: BaseLedger;
  readonly layer: ExecutionLayer;
  readonly time: Time;
  readonly failpoint?: Failpoint | undefined;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Aborts when the service stops. */
  readonly signal: AbortSignal;
};

/** What recorders work with. */
export type RecorderContext = LedgerContext & {
  readonly store: LiabilityStore;
  readonly locks: Locks;
  readonly findList: FindList;
};
