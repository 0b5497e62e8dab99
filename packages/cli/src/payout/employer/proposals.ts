import type { Proposal, Schedule } from '@payouts/client';
import { type ProposedLists, proposalFrom, proposalText } from '@payouts/employer';
import type { Address } from '@solana/kit';
import { writeNewFile } from '../newFile.ts';
import { listFileText } from './book.ts';

/** Writes proposals for the approver, each of a schedule, readable by its owner alone. Throws `Failure` file-exists. */
export const writeProposals = (
  file: string,
  proposals: readonly (readonly [Address, ProposedLists])[],
): Promise<void> => writeNewFile(file, proposalText(proposals), '--proposal');

/** The lists of a proposal, proven to be those that the ledger names. Throws `Failure` list-unreadable or list-differs. */
export const readProposal = async (file: string, schedule: Schedule, proposal: Proposal): Promise<ProposedLists> =>
  proposalFrom(await listFileText(file), { where: file, schedule, proposal });
