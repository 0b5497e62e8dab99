import {
  convertedLines,
  type ListComparison,
  type ProposedLists,
  type ProposedTerms,
  proposalFrom,
  proposalSentences,
  proposalText,
  type TokenInfo,
} from '@payouts/employer';
import type { Address } from '@solana/kit';
import { writeNewFile } from '../newFile.ts';
import { wrapped } from '../output.ts';
import { listFileText } from './book.ts';
import { changeLines, conversionLines } from './preview.ts';

/** Writes proposals for the approver, each of a schedule, readable by its owner alone. Throws `Failure` file-exists. */
export const writeProposals = (
  file: string,
  proposals: readonly (readonly [Address, ProposedLists])[],
): Promise<void> => writeNewFile(file, proposalText(proposals), '--proposal');

/** The lists of a proposal, proven to be those that the ledger names. Throws `Failure` list-unreadable or list-differs. */
export const readProposal = async (file: string, terms: ProposedTerms): Promise<ProposedLists> =>
  proposalFrom(await listFileText(file), { ...terms, where: file });

/** What is said to whoever agrees without a file. */
export const UNSEEN = 'You have not seen whom it pays: any list could stand behind its root.';

/** What a list that was proven changes, and what of it is in a currency. Private: it names recipients whose amounts change. */
export function listLines(seen: {
  readonly proposal: ProposedTerms['proposal'];
  readonly token: TokenInfo;
  readonly lists: ProposedLists;
  readonly comparison: ListComparison | undefined;
}): string[] {
  const { token, lists, comparison } = seen;
  const text = proposalSentences(seen, lists, comparison).flatMap((sentence) => [...wrapped(sentence), '']);
  if (comparison !== undefined) text.push(...changeLines(comparison.changes, token, lists.names));
  return [...text, ...conversionLines(convertedLines(lists, token.decimals), lists.names, token)];
}
