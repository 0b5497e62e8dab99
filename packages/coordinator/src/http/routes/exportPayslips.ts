import { Readable } from 'node:stream';
import { nextTurn, payslipToJson } from '@payouts/client';
import { BLOCK_RECIPIENTS, recipientsOf } from '../../domain/listRecords.ts';
import { paddedToBlock } from '../../domain/padToBlock.ts';
import { isPaid } from '../../store/crypto/paymentRecord.ts';
import { openBlocks } from '../../store/queries/lists.ts';
import { findWindow } from '../../store/queries/settledWindows.ts';
import { LIMIT_FIELDS, text } from '../answers.ts';
import type { Api } from '../httpServer.ts';
import { PAYSLIP_LINE_EXAMPLE, WindowParams } from '../payslipSchemas.ts';
import { type PrivateReadsInput, privateProblems } from '../privateReads.ts';
import { employerRequest, SIGNED } from '../scheduleRequest.ts';
import type { ProvenWindow, SettledWindows } from '../settledWindows.ts';

export const NDJSON = 'application/x-ndjson';
/** Payslips written between two turns of the event loop: a few milliseconds. */
const SLICE = 128;

const schema = {
  ...SIGNED,
  operationId: 'exportPayslips',
  summary: 'All payslips of a settled window, for the employer',
  description:
    'One payslip a line, in order of index: each entry that the window paid. Their amounts add up to `settled.paid`, which every line ' +
    'has. Signed by the employer: the owner of the vault.',
  params: WindowParams,
  response: {
    ...privateProblems('invalid-window', 'payslip-not-found'),
    200: text('A line of JSON for each payslip', NDJSON, PAYSLIP_LINE_EXAMPLE, LIMIT_FIELDS),
  },
};

type ExportInput = PrivateReadsInput & { readonly windows: SettledWindows };

/** GET /api/schedules/:schedulePda/payslips/:window */
export function exportPayslipsRoute(app: Api, input: ExportInput): void {
  const path = '/api/schedules/:schedulePda/payslips/:window';
  app.get(path, { schema, config: { limit: 'private' } }, async (request, reply) => {
    const { address, schedule } = await employerRequest(request, reply, input);
    const row = await findWindow(input.database, address, BigInt(request.params.window));
    const proven = await input.windows.of(schedule, row);
    // Written as it is read: the list is in memory a block at a time, however long it is and however slow the reader.
    const lines = Readable.from(linesOf(input, proven));
    return reply.type(NDJSON).send(lines as unknown as string);
  });
}

async function* linesOf(input: ExportInput, { list, record, settled }: ProvenWindow): AsyncGenerator<string> {
  const { database, payloadKeys, proofs } = input;
  for await (const { number, block } of openBlocks(database, list, payloadKeys)) {
    const entries = recipientsOf(block, number);
    const blockProofs = await proofs.of(list, number * BLOCK_RECIPIENTS, entries.length);
    for (let from = 0; from < entries.length; from += SLICE) {
      const slice = entries.slice(from, from + SLICE).flatMap((leaf, place) => {
        if (!isPaid(record, leaf.index)) return [];
        const proof = blockProofs[from + place] ?? [];
        const line = JSON.stringify(payslipToJson({ leaf, proof, bitmap: record.bitmap, settled }));
        // As long as the others, whatever is in it.
        return `${paddedToBlock(line)}\n`;
      });
      if (slice.length > 0) yield slice.join('');
      await nextTurn();
    }
  }
}
