import { open, readFile } from 'node:fs/promises';
import {
  isProposed,
  listFromRecipients,
  type Proposal,
  type RecipientList,
  recipientsFromJson,
  recipientsToJson,
  type Schedule,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { Failure } from '../failure.ts';

/** What an employer gives the approver: the list that is proposed, the present one to compare it with, and who the recipients are. */
export type ProposedLists = {
  readonly list: RecipientList;
  readonly present: RecipientList | undefined;
  /** The employer's word: nothing on the ledger knows a name. */
  readonly names: ReadonlyMap<Address, string>;
};

/** Writes a proposal for the approver, readable by its owner alone. Throws `Failure` file-exists. */
export async function writeProposal(
  file: string,
  schedule: Address,
  { list, present, names }: ProposedLists,
): Promise<void> {
  const handle = await open(file, 'wx', 0o600).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EEXIST') throw cause;
    throw new Failure('file-exists', `There is a file ${file} already: name another with --proposal.`, { cause });
  });
  try {
    const recipients = recipientsToJson(list.recipients);
    await handle.writeFile(
      JSON.stringify({
        schedule,
        recipients,
        names: Object.fromEntries(names),
        ...(present && { present: recipientsToJson(present.recipients) }),
      }),
    );
  } finally {
    await handle.close();
  }
}

/**
 * The lists of a proposal, each proven to be the one that the ledger names. Throws `Failure` list-unreadable or list-differs.
 */
export async function readProposal(file: string, schedule: Schedule, proposal: Proposal): Promise<ProposedLists> {
  let written: { readonly recipients?: unknown; readonly present?: unknown; readonly names?: unknown };
  let lists: ProposedLists;
  try {
    written = JSON.parse(await readFile(file, 'utf8')) as typeof written;
    const listOf = (recipients: unknown) => listFromRecipients(recipientsFromJson(recipients));
    lists = {
      list: listOf(written.recipients),
      present: written.present === undefined ? undefined : listOf(written.present),
      names: namesFrom(written.names),
    };
  } catch (cause) {
    const why = cause instanceof SyntaxError ? 'it is not JSON' : (cause as Error).message;
    throw new Failure('list-unreadable', `The list in ${file} can't be read: ${why}`, { cause });
  }
  if (!isProposed(proposal, lists.list)) {
    throw new Failure(
      'list-differs',
      `The list in ${file} is not the one that waits on the ledger: it does not rebuild its root. Approve nothing, and ask who prepared it.`,
    );
  }
  const isPresent = lists.present !== undefined && Buffer.compare(lists.present.root, Buffer.from(schedule.root)) === 0;
  // A comparison with anything else than what is paid now would show changes that are none, or hide some.
  return { ...lists, present: isPresent ? lists.present : undefined };
}

function namesFrom(written: unknown): ReadonlyMap<Address, string> {
  const entries = Object.entries(written ?? {}).filter(([, name]) => typeof name === 'string');
  return new Map(entries as [Address, string][]);
}
