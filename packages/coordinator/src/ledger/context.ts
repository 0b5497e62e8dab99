import type { Time } from '@payouts/client';
import type { Address, TransactionPartialSigner } from '@solana/kit';
import type { Logger } from '../platform/log/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Failpoint } from './failpoints.ts';
import type { FeeBidder } from './feeBidder.ts';
import type { BaseLedger, ExecutionLayer } from './ledger.ts';

/** What acts on both ledgers works with. */
export type LedgerContext = {
  readonly program: Address;
  readonly config: Address;
  readonly authority: TransactionPartialSigner;
  readonly base: BaseLedger;
  readonly layer: ExecutionLayer;
  /** Signs what goes to the base ledger. */
  readonly fees: FeeBidder;
  readonly time: Time;
  readonly failpoint?: Failpoint | undefined;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Aborts when the service stops. */
  readonly signal: AbortSignal;
};
