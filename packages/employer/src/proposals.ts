import {
  isProposed,
  isSameBytes,
  listFromRecipients,
  type Proposal,
  type RecipientList,
  recipientsFromJson,
  recipientsToJson,
  type Schedule,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { Failure } from './failure.ts';

/** What an employer gives the approver: the list that is proposed, the present one to compare it with, and who the recipients are. */
export type ProposedLists = {
  readonly list: RecipientList;
  readonly present: RecipientList | undefined;
  /** The employer's word: nothing on the ledger knows a name. */
  readonly names: ReadonlyMap<Address, string>;
};

/** A proposal as a file has it. Private: it says who is paid how much. */
export const proposalText = (schedule: Address, { list, present, names }: ProposedLists): string =>
  JSON.stringify({
    schedule,
    recipients: recipientsToJson(list.recipients),
    names: Object.fromEntries(names),
    ...(present && { present: recipientsToJson(present.recipients) }),
  });

/**
 * The lists of a proposal, each proven to be the one that the ledger names; `where` names the file. Throws `Failure` list-unreadable or
 * list-differs.
 */
export function proposalFrom(
  text: string,
  { where, schedule, proposal }: { readonly where: string; readonly schedule: Schedule; readonly proposal: Proposal },
): ProposedLists {
  let written: { readonly recipients?: unknown; readonly present?: unknown; readonly names?: unknown };
  let lists: ProposedLists;
  try {
    written = JSON.parse(text) as typeof written;
    const listOf = (recipients: unknown) => listFromRecipients(recipientsFromJson(recipients));
    lists = {
      list: listOf(written.recipients),
      present: written.present === undefined ? undefined : listOf(written.present),
      names: namesFrom(written.names),
    };
  } catch (cause) {
    const why = cause instanceof SyntaxError ? 'it is not JSON' : (cause as Error).message;
    throw new Failure('list-unreadable', `The list in ${where} can't be read: ${why}`, { cause });
  }
  if (!isProposed(proposal, lists.list)) {
    throw new Failure(
      'list-differs',
      `The list in ${where} is not the one that waits on the ledger: it does not rebuild its root. Approve nothing, and ask who prepared it.`,
    );
  }
  const isPresent = lists.present !== undefined && isSameBytes(lists.present.root, schedule.root);
  // A comparison with anything else than what is paid now would show changes that are none, or hide some.
  return { ...lists, present: isPresent ? lists.present : undefined };
}

function namesFrom(written: unknown): ReadonlyMap<Address, string> {
  const entries = Object.entries(written ?? {}).filter(([, name]) => typeof name === 'string');
  return new Map(entries as [Address, string][]);
}
