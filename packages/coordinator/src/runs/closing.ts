import { bitmapAddresses, getCommitInstructionAsync } from '@payouts/client';
import type { Address, Instruction } from '@solana/kit';
import type { WindowAddresses } from '../ledger/probe.ts';
import type { PayableList } from '../lists/payableList.ts';
import type { StageContext } from './context.ts';
import { closePermission } from './permissions.ts';

/** Closes an open window's batch and the pages that were made of its bitmap, and sends it back to the base ledger. */
export const commitInstruction = (
  { authority, config, program }: Pick<StageContext, 'authority' | 'config' | 'program'>,
  { batch, window }: WindowAddresses,
  bitmapPages: Address[],
): Promise<Instruction> =>
  getCommitInstructionAsync({ authority, config, batch, window, bitmapPages }, { programAddress: program });

/**
 * What closes a window in the transaction of its only claim, whose bitmap is made there with this nonce; nothing where something is to be done in
 * the open window after it.
 */
export async function closingWithClaims(
  context: StageContext,
  at: WindowAddresses,
  payees: PayableList,
  bitmapNonce: number,
): Promise<readonly Instruction[]> {
  const { permissions, permitted, program } = context;
  if (payees.delivered().length > 0 || (!permitted.isDone && (await permissions.areThere()))) return [];
  const bitmap = bitmapAddresses({ ...at, bitmapNonce }, payees.count, program);
  return [...(await closePermission(context, at)), await commitInstruction(context, at, bitmap)];
}
