import { type Batch, bitmapPageCount, buildBitmapTransaction } from '@payouts/client';
import { RunError } from '../domain/errors.ts';
import { readLayerBatch, type WindowAddresses } from '../ledger/probe.ts';
import { refusedError } from '../ledger/programErrors.ts';
import type { StageContext } from './context.ts';
import { LayerSender } from './layerSend.ts';

/** Whether every page of a window's bitmap has been made. */
const hasBitmap = ({ bitmapPages, recipients }: Batch): boolean => bitmapPages === 2 ** bitmapPageCount(recipients) - 1;

/** Makes an open window's bitmap in the layer, where pages of it are missing; returns the batch that has them all. Throws `RunError` where it can't. */
export async function makeBitmap(context: StageContext, at: WindowAddresses, batch: Batch): Promise<Batch> {
  if (hasBitmap(batch)) return batch;
  const { authority, config, layer, program, newBitmapNonce } = context;
  // The batch keeps the one that its first page was made with.
  const bitmapNonce = batch.bitmapPages === 0 ? newBitmapNonce() : batch.bitmapNonce;
  const bitmap = { authority, config, ...at, bitmapNonce, recipients: batch.recipients, programAddress: program };
  const err = await new LayerSender(context).send((terms) => buildBitmapTransaction({ ...bitmap, ...terms }));
  if (err !== null) throw refusedError("making of a window's bitmap", err);
  // Another process may have made it at the same moment, with another nonce.
  const made = await readLayerBatch(layer, at);
  if (made === undefined || !hasBitmap(made)) {
    throw new RunError('batch-not-visible', "The execution layer does not show the window's bitmap.");
  }
  return made;
}
