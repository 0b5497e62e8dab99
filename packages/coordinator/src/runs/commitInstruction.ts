import { getCommitInstructionAsync } from '@payouts/client';
import type { Address, Instruction } from '@solana/kit';
import type { WindowAddresses } from '../ledger/probe.ts';
import type { StageContext } from './context.ts';

/** Closes an open window's batch and the pages that were made of its bitmap, and sends it back to the base ledger. */
export const commitInstruction = (
  { authority, config, program }: Pick<StageContext, 'authority' | 'config' | 'program'>,
  { batch, window }: WindowAddresses,
  bitmapPages: Address[],
): Promise<Instruction> =>
  getCommitInstructionAsync({ authority, config, batch, window, bitmapPages }, { programAddress: program });
