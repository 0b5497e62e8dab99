import type { Proposal, Schedule } from '@payouts/client';
import { type ProposedLists, proposalFrom, proposalText } from '@payouts/employer';
import type { Address } from '@solana/kit';
import { writeNewFile } from '../newFile.ts';
import { listFileText } from './book.ts';

/** Writes a proposal for the approver, readable by its owner alone. Throws `Failure` file-exists. */
export const writeProposal = (file: string, schedule: Address, lists: ProposedLists): Promise<void> =>
  writeNewFile(file, proposalText(schedule, lists), '--proposal');

/** The lists of a proposal, proven to be those that the ledger names. Throws `Failure` list-unreadable or list-differs. */
export const readProposal = async (file: string, schedule: Schedule, proposal: Proposal): Promise<ProposedLists> =>
  proposalFrom(await listFileText(file), { where: file, schedule, proposal });
