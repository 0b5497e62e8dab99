import type { Time } from '@payouts/client/browser';
import { readDeployment } from '@payouts/pages/deployment';
import { connectBase } from '@payouts/pages/ledgers';
import {
  type Evidence,
  gatherEvidence,
  lookOnLedger,
  type Statement,
  type StatementLedger,
  type StatementWish,
  totalOnLedger,
  verifyEvidence,
} from '@payouts/statements';
import { patientAsk } from './ask.ts';

/** What an auditor asks for, and whether the base ledger is asked as well. */
export type Wanted = Pick<StatementWish, 'kind' | 'auditor' | 'schedule' | 'range'> & { readonly isLookedUp: boolean };

/** A statement with what it was made from. */
export type Made = { readonly statement: Statement; readonly evidence: Evidence };

/** How far it is, in a sentence. */
type OnStep = (sentence: string) => void;

/** Reads, verifies and sums what was granted. Throws `ApiProblem`, `LedgerUnavailable`, or what the ledger's node throws. */
export async function makeStatement(wanted: Wanted, time: Time, abort: AbortSignal, onStep: OnStep): Promise<Made> {
  const { isLookedUp, ...wish } = wanted;
  const ledger = isLookedUp ? await pageHistory(time) : undefined;
  const evidence = await gatherEvidence(patientAsk(time, abort), {
    ...wish,
    madeAt: time.now(),
    onRead: (windows) => onStep(`Reading: ${windows} windows …`),
  });
  const statement = await verifyEvidence(evidence, {
    ledger,
    onVerified: (windows) => onStep(`Verifying: ${windows} windows …`),
  });
  return { statement, evidence };
}

/** The base ledger, where this coordinator says that browsers may ask it. */
async function pageHistory(time: Time): Promise<StatementLedger> {
  const { rpcUrls, genesisHash } = await readDeployment();
  const { base } = await connectBase(rpcUrls, time, genesisHash);
  return { window: (settled) => lookOnLedger(settled, base), total: (schedule) => totalOnLedger(schedule, base) };
}
