import type { Balances } from '../balances/balances.ts';
import type { LayerTrust } from '../ledger/attestation/trust.ts';
import type { LedgerClock } from '../ledger/clock.ts';
import type { LedgerContext } from '../ledger/context.ts';
import type { ReadIdentity } from '../ledger/identity.ts';
import type { WindowAddresses } from '../ledger/probe.ts';
import type { ReadPermissions } from '../ledger/readPermissions.ts';
import type { LiabilityRecorders } from '../liabilities/recorders.ts';
import type { PayableLists } from '../lists/payableLists.ts';
import type { Semaphore } from '../platform/semaphore.ts';
import type { PayloadKeys } from '../store/crypto/payloadKeys.ts';
import type { AttemptFindings } from '../store/queries/attempts.ts';
import type { RunRow } from '../store/queries/runs.ts';
import type { RunStore } from '../store/runStore.ts';

/** What every stage works with. */
export type StageContext = LedgerContext & {
  readonly layerIdentity: ReadIdentity;
  readonly trust: LayerTrust;
  /** Whether the layer has read permissions. */
  readonly permissions: Pick<ReadPermissions, 'areThere'>;
  readonly clock: LedgerClock;
  readonly store: RunStore;
  readonly payloadKeys: PayloadKeys;
  /** Registered lists, ready to be paid. */
  readonly payableLists: Pick<PayableLists, 'read'>;
  /** Where private balances are. */
  readonly balances: Balances;
  /** Draws what the addresses of a window's bitmap follow from, 32 bits. */
  readonly newBitmapNonce: () => number;
  /** The liabilities trees of all tokens. */
  readonly liabilities: LiabilityRecorders;
  /** Whether this process has seen all accounts' permissions name the present execution authority. */
  readonly permitted: { isDone: boolean };
  /** Room in memory for lists that are being paid, in recipients. */
  readonly listRoom: Semaphore;
  /** How many payments of open windows this process has kept last; by run. */
  readonly keptPayments: Map<number, number>;
  /** Runs of which this process tries a stage. */
  readonly underWay: Set<number>;
  /** Claim transactions under way at a time. */
  readonly claimsInFlight: number;
};

/** What a stage is tried on. */
export type StageInput = {
  readonly run: RunRow;
  readonly attemptId: number;
  readonly at: WindowAddresses;
  /** What the try comes to know, which is recorded with its end. */
  readonly findings: AttemptFindings;
};

/** A stage: does what is missing of it, and throws `RunError`, `Waiting` or `RunCancelled` when it can't be done now. */
export type StageWork = (context: StageContext, input: StageInput) => Promise<void>;
