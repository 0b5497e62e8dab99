import { ATTESTATION_ERRORS } from '../../domain/attestationErrors.ts';
import { ANY, CALL_SECONDS, type Define } from './define.ts';

const LEDGERS = ['base', 'layer'] as const;
/** Calls to a ledger by their name in its RPC. */
const LEDGER_METHODS = [
  'getMultipleAccounts',
  'getProgramAccounts',
  'getLatestBlockhash',
  'getBlockHeight',
  'getEpochInfo',
  'getGenesisHash',
  'getIdentity',
  'getRecentPrioritizationFees',
  'getSignatureStatuses',
  'getSignaturesForAddress',
  'getTransaction',
  'sendTransaction',
  'simulateTransaction',
] as const;
export type LedgerMethod = (typeof LEDGER_METHODS)[number];
/** Those of them that are made together. */
const JOINED_METHODS = [
  'getMultipleAccounts',
  'getLatestBlockhash',
  'getBlockHeight',
  'getEpochInfo',
  'getSignatureStatuses',
] as const;
/** What is signed for the base ledger. */
const FEE_PURPOSES = ['delegate', 'settle', 'record'] as const;
export type FeePurpose = (typeof FEE_PURPOSES)[number];
/** What the execution layer's quotes came to; `failed`: that could not be found out. */
const ATTESTATION_OUTCOMES = ['trusted', 'failed', ...ATTESTATION_ERRORS] as const;

/** Of both ledgers, and of the trust in the execution layer. */
export function ledgerMetrics(define: Define) {
  const metrics = {
    ledgerCalls: define.counter(
      'ledger_calls_total',
      'Calls to a ledger by what became of them; a read that is repeated counts each time',
      { ledger: ANY, method: ANY, outcome: ANY },
    ),
    ledgerCallSeconds: define.histogram(
      'ledger_call_duration_seconds',
      'Time of calls to a ledger, failed ones among them',
      { ledger: LEDGERS, method: LEDGER_METHODS },
      CALL_SECONDS,
    ),
    ledgerCallsJoined: define.counter(
      'ledger_calls_joined_total',
      'Reads of a ledger that needed no call of their own, since another one answered them too',
      { ledger: LEDGERS, method: JOINED_METHODS },
    ),
    ledgerSilentSeconds: define.gauge(
      'ledger_silent_seconds',
      'For how long a ledger has answered no call of this process; 0 while it answers, or is asked nothing',
      { ledger: LEDGERS },
    ),
    ledgerNodesAvoided: define.gauge(
      'ledger_nodes_avoided',
      'Addresses of BASE_RPC_URL that are down, behind or busy, so that others are asked first, as this process finds them',
    ),
    feeBid: define.gauge(
      'priority_fee_bid_micro_lamports',
      'Priority fee that a transaction on the base ledger has bid last, for a compute unit; 0 where nobody pays any',
      { purpose: FEE_PURPOSES },
    ),
    feesPaid: define.counter(
      'priority_fees_paid_lamports_total',
      'Priority fees of transactions that landed on the base ledger, beside the fees for their signatures',
      { purpose: FEE_PURPOSES },
    ),
    feesCapped: define.counter(
      'priority_fees_capped_total',
      'Transactions that have bid PRIORITY_FEE_CAP where more was asked',
      { purpose: FEE_PURPOSES },
    ),
    subscription: define.gauge(
      'ledger_subscription_connected',
      '1 while changes of schedules arrive from the base ledger; of several processes one follows them',
    ),
    attestations: define.counter(
      'layer_attestations_total',
      'Quotes that the execution layer was asked for: trusted, or why it was not; failed: it could not be found out',
      { outcome: ATTESTATION_OUTCOMES },
    ),
    layerTrusted: define.lateGauge(
      'layer_trusted',
      '1 if the execution layer was trusted by its last quote, else 0; absent until it was asked for one',
    ),
    layerBalances: define.gauge(
      'layer_balances',
      'Places for private balances in pages of the execution layer, of all tokens; given: in pages that are there; room: LAYER_BALANCES',
      { kind: ['given', 'room'] },
    ),
    layerReadPermissions: define.gauge(
      'layer_read_permissions',
      '1 if the execution layer has the instructions that read permissions are set by, else 0; absent until it is known',
      { place: ANY },
    ),
    permissionsSet: define.counter(
      'layer_permissions_set_total',
      'Read permissions of paid balances and of open windows: set; missing: still not there after an attempt, which the next window repeats',
      { result: ANY },
    ),
  };
  for (const ledger of LEDGERS) {
    for (const method of LEDGER_METHODS) {
      for (const outcome of ['ok', 'failed']) metrics.ledgerCalls.inc({ ledger, method, outcome }, 0);
    }
    // A transaction alone is refused by a ledger that could be reached.
    metrics.ledgerCalls.inc({ ledger, method: 'sendTransaction', outcome: 'refused' }, 0);
  }
  return metrics;
}
