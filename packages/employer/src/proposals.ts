import {
  convertedAmount,
  isProposed,
  isSameBytes,
  listFromRecipients,
  type Proposal,
  type RecipientList,
  recipientsFromJson,
  recipientsToJson,
  type Schedule,
} from '@payouts/client';
import type { PaidLine } from '@payouts/payroll';
import type { Address } from '@solana/kit';
import { Failure } from './failure.ts';
import { type ConvertedEntries, convertedEntries, namesFrom } from './listFile.ts';

/** What an employer gives the approver: the list that is proposed, the present one to compare it with, and who the recipients are. */
export type ProposedLists = {
  readonly list: RecipientList;
  readonly present: RecipientList | undefined;
  /** The employer's word: nothing on the ledger knows a name. */
  readonly names: ReadonlyMap<Address, string>;
  /** Their word too: which amounts are in a currency. Each gives what the list pays, at its rate. */
  readonly converted?: ConvertedEntries;
};

/** Proposals as a file has them. Private: it says who is paid how much. */
export const proposalText = (proposals: readonly (readonly [Address, ProposedLists])[]): string =>
  JSON.stringify({
    proposals: proposals.map(([schedule, { list, present, names, converted = new Map() }]) => ({
      schedule,
      recipients: recipientsToJson(list.recipients),
      names: Object.fromEntries(names),
      ...(present && { present: recipientsToJson(present.recipients) }),
      ...(converted.size > 0 && { converted: Object.fromEntries(converted) }),
    })),
  });

/**
 * The lines of a proposed list that the employer says are in a currency. Throws `Failure` list-unreadable where that does not give what the list
 * pays.
 */
export function convertedLines({ list, converted = new Map() }: ProposedLists, decimals: number): PaidLine[] {
  return [...converted].map(([index, each]) => {
    const entry = list.recipients[index];
    if (entry !== undefined && convertedAmount(each.amount, each.rate, decimals) === entry.amount)
      return { ...entry, converted: each };
    throw new Failure(
      'list-unreadable',
      'The proposal says amounts in a currency that do not give what its list pays. Approve nothing, and ask who prepared it.',
    );
  });
}

type Written = { readonly [name: string]: unknown };

/** What a file is to prove. */
export type ProposedTerms = {
  /** As it stands; undefined: it is not on the ledger yet. */
  readonly schedule: Pick<Schedule, 'root'> | undefined;
  readonly proposal: Pick<Proposal, 'kind' | 'root' | 'amount' | 'recipients' | 'held'>;
};

/**
 * The lists that a file proposes for one schedule, proven to be those that the ledger names; `where` names the file, which is a proposal or the
 * employer's copy of the list. Throws `Failure` list-unreadable or list-differs.
 */
export function proposalFrom(
  text: string,
  { where, schedule, proposal }: ProposedTerms & { readonly where: string },
): ProposedLists {
  let all: ProposedLists[];
  try {
    const written = JSON.parse(text) as Written;
    all = Array.isArray(written.proposals) ? (written.proposals as Written[]).map(listsOf) : [listsOf(written)];
  } catch (cause) {
    const why = cause instanceof SyntaxError ? 'it is not JSON' : (cause as Error).message;
    throw new Failure('list-unreadable', `The list in ${where} can't be read: ${why}`, { cause });
  }
  const lists = all.find(({ list }) => isProposed(proposal, list));
  if (lists === undefined) {
    throw new Failure(
      'list-differs',
      `The list in ${where} is not the one that waits on the ledger: it does not rebuild its root. Approve nothing, and ask who prepared it.`,
    );
  }
  const isPresent =
    schedule !== undefined && lists.present !== undefined && isSameBytes(lists.present.root, schedule.root);
  // A comparison with anything else than what is paid now would show changes that are none, or hide some.
  return { ...lists, present: isPresent ? lists.present : undefined };
}

function listsOf(written: Written): ProposedLists {
  const listOf = (recipients: unknown) => listFromRecipients(recipientsFromJson(recipients));
  return {
    list: listOf(written.recipients),
    present: written.present === undefined ? undefined : listOf(written.present),
    names: namesFrom(written.names),
    converted: convertedEntries(written.converted),
  };
}
