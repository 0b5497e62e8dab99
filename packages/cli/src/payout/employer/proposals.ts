import { open } from 'node:fs/promises';
import type { Proposal, Schedule } from '@payouts/client';
import { Failure, type ProposedLists, proposalFrom, proposalText } from '@payouts/employer';
import type { Address } from '@solana/kit';
import { listFileText } from './book.ts';

/** Writes a proposal for the approver, readable by its owner alone. Throws `Failure` file-exists. */
export async function writeProposal(file: string, schedule: Address, lists: ProposedLists): Promise<void> {
  const handle = await open(file, 'wx', 0o600).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EEXIST') throw cause;
    throw new Failure('file-exists', `There is a file ${file} already: name another with --proposal.`, { cause });
  });
  try {
    await handle.writeFile(proposalText(schedule, lists));
  } finally {
    await handle.close();
  }
}

/** The lists of a proposal, proven to be those that the ledger names. Throws `Failure` list-unreadable or list-differs. */
export const readProposal = async (file: string, schedule: Schedule, proposal: Proposal): Promise<ProposedLists> =>
  proposalFrom(await listFileText(file), { where: file, schedule, proposal });
