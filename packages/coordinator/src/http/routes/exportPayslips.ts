import { Readable } from 'node:stream';
import { nextTurn, payslipToJson } from '@payouts/client';
import type { CryptoKey } from 'jose';
import { BLOCK_RECIPIENTS, recipientsOf } from '../../domain/listRecords.ts';
import { paddedToBlock } from '../../domain/padToBlock.ts';
import { isPaid } from '../../store/crypto/paymentRecord.ts';
import { openBlocks } from '../../store/queries/lists.ts';
import { findWindow } from '../../store/queries/settledWindows.ts';
import { LIMIT_FIELDS, NDJSON, text } from '../answers.ts';
import type { Api } from '../httpServer.ts';
import { PAYSLIP_LINE_EXAMPLE, WindowParams } from '../payslipSchemas.ts';
import { JOSE_LINES, sealedFor } from '../plugins/encryption.ts';
import { type PrivateReadsInput, privateProblems } from '../privateReads.ts';
import { SIGNED, viewerRequest } from '../scheduleRequest.ts';
import type { ProvenWindow, SettledWindows } from '../settledWindows.ts';
import { sessionOf } from '../signatures/signer.ts';

/** Payslips written between two turns of the event loop: a few milliseconds. */
const SLICE = 128;
/** Payslips encrypted together: a browser opens them in a few milliseconds, however long the list. */
const SEALED_SLICE = 32;

const schema = {
  ...SIGNED,
  operationId: 'exportPayslips',
  summary: 'All payslips of a settled window, for the employer',
  description:
    'One payslip a line, in order of index: each entry that the window paid. Their amounts add up to `settled.paid`, which every line ' +
    'has. Signed by the employer: the owner of the vault. A session with a key for its answers gets lines that are encrypted to it: each ' +
    'is a compact JWE of some payslips, one a line.',
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
  app.get(path, { schema, config: { limit: 'private', session: true } }, async (request, reply) => {
    const { address, schedule } = await viewerRequest(request, reply, input);
    const row = await findWindow(input.database, address, BigInt(request.params.window));
    const proven = await input.windows.of(schedule, row);
    const key = sessionOf(request)?.answerKey;
    // Written as it is read: the list is in memory a block at a time, however long it is and however slow the reader.
    const lines = Readable.from(
      key === undefined ? slicesOf(input, proven, SLICE) : sealedSlicesOf(input, proven, key),
    );
    return reply.type(key === undefined ? NDJSON : JOSE_LINES).send(lines as unknown as string);
  });
}

async function* sealedSlicesOf(input: ExportInput, proven: ProvenWindow, key: CryptoKey): AsyncGenerator<string> {
  for await (const slice of slicesOf(input, proven, SEALED_SLICE)) yield `${await sealedFor(key, slice, 'x-ndjson')}\n`;
}

async function* slicesOf(
  input: ExportInput,
  { list, record, settled }: ProvenWindow,
  most: number,
): AsyncGenerator<string> {
  const { database, payloadKeys, proofs } = input;
  for await (const { number, block } of openBlocks(database, list, payloadKeys)) {
    const entries = recipientsOf(block, number);
    const blockProofs = await proofs.of(list, number * BLOCK_RECIPIENTS, entries.length);
    for (let from = 0; from < entries.length; from += most) {
      const slice = entries.slice(from, from + most).flatMap((leaf, place) => {
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
