import { type PayslipJson, payslipToJson } from '@payouts/client';
import { Problem } from '../../domain/problems.ts';
import { isPaid } from '../../store/crypto/paymentRecord.ts';
import { findWindow } from '../../store/queries/settledWindows.ts';
import { json, LIMIT_FIELDS } from '../answers.ts';
import type { Api } from '../httpServer.ts';
import { PAYSLIPS_EXAMPLE, PayslipParams, PayslipsView } from '../payslipSchemas.ts';
import { type PrivateReadsInput, privateProblems } from '../privateReads.ts';
import { recipientRequest, SIGNED } from '../scheduleRequest.ts';
import type { SettledWindows } from '../settledWindows.ts';

const schema = {
  ...SIGNED,
  operationId: 'readPayslips',
  summary: 'What a settled window paid a recipient, to be kept',
  description:
    'A payslip for each entry of the recipient that the window paid. It can be verified without this service, the execution layer or a ' +
    'network. Entries that were not paid are named with the reason. Signed by that recipient, by the employer, or by an auditor with a grant that names the recipient.',
  params: PayslipParams,
  response: {
    ...privateProblems('invalid-window', 'recipient-not-found', 'payslip-not-found'),
    200: json('The payslips', PayslipsView, PAYSLIPS_EXAMPLE, LIMIT_FIELDS),
  },
};

/** GET /api/schedules/:schedulePda/recipients/:address/payslips/:window */
export function readPayslipsRoute(app: Api, input: PrivateReadsInput & { readonly windows: SettledWindows }): void {
  const path = '/api/schedules/:schedulePda/recipients/:address/payslips/:window';
  app.get(path, { schema, config: { limit: 'private', session: true } }, async (request, reply) => {
    const window = BigInt(request.params.window);
    const { address, schedule, own } = await recipientRequest(request, reply, input, { kind: 'payslips', window });
    const row = await findWindow(input.database, address, window);
    const { list, record, settled } = await input.windows.of(schedule, row);
    const entries = own.find((one) => one.list.id === list.id)?.entries;
    if (entries === undefined) {
      throw new Problem('payslip-not-found', 'The window paid a list in which the recipient does not stand.', {
        reason: 'not-in-list',
      });
    }
    const payslips: PayslipJson[] = [];
    for (const leaf of entries.filter(({ index }) => isPaid(record, index))) {
      const [proof = []] = await input.proofs.of(list, leaf.index, 1);
      payslips.push(payslipToJson({ leaf, proof, bitmap: record.bitmap, settled }));
    }
    const unpaid = entries.filter(({ index }) => !isPaid(record, index));
    return {
      schedulePda: address,
      window: request.params.window,
      payslips,
      unpaid: unpaid.map(({ index, amount }) => ({
        index,
        amount: amount.toString(),
        reason: record.held.includes(index) ? ('held' as const) : ('unpaid' as const),
      })),
    };
  });
}
