import { type SignedWindow, windowFaults } from '@payouts/client';
import { ExportError, gatherEvidence, paymentOf, type StatementPayment, verifiedPayslips } from '@payouts/statements';
import type { Address } from '@solana/kit';
import { exportedPayslips } from './payslips/fetch.ts';
import { askOf, type PrivateApi } from './requests.ts';

/** A settled window and what it paid, by payslips that are verified and add up. Private. */
export type ProvenRun = { readonly settled: SignedWindow; readonly payments: readonly StatementPayment[] };

/** Reads a settled window for its employer; undefined: it is not settled. Throws `ExportError` if it is not proven, and `RequestRefused`. */
export async function provenRun(api: PrivateApi, schedule: Address, window: bigint): Promise<ProvenRun | undefined> {
  const range = { from: window, to: window };
  const wish = { kind: 'totals', auditor: api.signer.address, schedule, range, madeAt: api.time.now() } as const;
  const { payrolls } = await gatherEvidence(askOf(api), wish);
  const found = payrolls[0]?.windows[0];
  if (found === undefined) return undefined;
  const { settled, reason } = found;
  if (settled === null) throw new ExportError(`The window is not proven: ${reason ?? 'there is no proof.'}`);
  const [fault] = await windowFaults(settled);
  if (fault !== undefined) throw new ExportError(`The window is not proven: ${fault}`);
  return { settled, payments: await paymentsOf(api, settled) };
}

async function paymentsOf(api: PrivateApi, settled: SignedWindow): Promise<StatementPayment[]> {
  const payments: StatementPayment[] = [];
  // The answer would be empty.
  if (settled.paidCount === 0) return payments;
  for await (const payslip of verifiedPayslips(exportedPayslips(api, settled.schedule, settled.window))) {
    if (payslip.settled.signature !== settled.signature) throw new ExportError('The payslips are of another window.');
    payments.push(paymentOf(payslip));
  }
  if (payments.length !== settled.paidCount) throw new ExportError('The payslips are not all there: ask again.');
  return payments;
}
