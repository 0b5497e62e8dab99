import {
  type BaseConnection,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  PayoutLedgerInstruction,
  proposalOf,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { proposedChanges } from '../changes/approve.ts';
import { Failure } from '../failure.ts';
import type { ListComparison } from '../preview.ts';
import { type ProposedLists, type ProposedTerms, proposalFrom } from '../proposals.ts';
import { readSchedule } from '../session.ts';
import type { TokenInfo } from '../token.ts';
import { parsedOf, tokenOfVault } from './describe.ts';
import type { TreasuryProposal } from './treasury.ts';

/** A list that a transaction of a treasury gives a schedule: the ledger knows its root, and not whom it pays. */
export type GivenList = ProposedTerms & { readonly address: Address; readonly token: TokenInfo };
/** The same beside the copy that a member was given, which rebuilds its root. Private: it says who is paid how much. */
export type SeenList = GivenList & {
  readonly lists: ProposedLists;
  /** Undefined: the file has no current list to compare it with. */
  readonly comparison: ListComparison | undefined;
};

const I = PayoutLedgerInstruction;

/** The calls that give a schedule a list. */
const givingCalls = ({ instructions }: Pick<TreasuryProposal, 'instructions'>) =>
  instructions.flatMap((each) => {
    if (each.programAddress !== PAYOUT_LEDGER_PROGRAM_ADDRESS) return [];
    const parsed = parsedOf(each as Parameters<typeof parsedOf>[0]);
    switch (parsed?.instructionType) {
      case I.CreateSchedule:
      case I.UpdateRecipients:
      case I.ApproveSchedule:
        return [parsed];
      default:
        return [];
    }
  });

/** The schedules to which a proposal gives lists: the coordinator takes those once it is executed. */
export const schedulesPromised = (proposal: Pick<TreasuryProposal, 'instructions'>): Address[] =>
  givingCalls(proposal).map(({ accounts }) => accounts.schedule.address);

/** The lists that a proposal gives. Throws `Failure` vault-missing or schedule-unknown. */
export const givenLists = (
  ledgers: BaseConnection,
  proposal: Pick<TreasuryProposal, 'instructions'>,
): Promise<GivenList[]> =>
  Promise.all(
    givingCalls(proposal).map(async ({ instructionType, accounts, data }) => {
      const address = accounts.schedule.address;
      const token = await tokenOfVault({ ledgers }, accounts.vault.address);
      const { root, amount, recipients } = data;
      const terms = { root: new Uint8Array(root), amount, recipients, held: 'held' in data ? data.held : [] };
      if (instructionType === I.CreateSchedule) {
        return { address, token, schedule: undefined, proposal: { ...terms, kind: 'schedule' as const } };
      }
      const schedule = await readSchedule(ledgers, address);
      // What waits for an approver may be a schedule that never began.
      return { address, token, schedule, proposal: { ...terms, kind: proposalOf(schedule)?.kind ?? 'change' } };
    }),
  );

/**
 * The lists that a proposal gives as a file has them, each proven by its root; `where` names the file. Throws `Failure` vault-missing,
 * schedule-unknown, list-unreadable or list-differs.
 */
export async function seenLists(
  ledgers: BaseConnection,
  proposal: Pick<TreasuryProposal, 'index' | 'instructions'>,
  { text, where }: { readonly text: string; readonly where: string },
): Promise<SeenList[]> {
  const given = await givenLists(ledgers, proposal);
  if (given.length === 0) {
    throw new Failure('list-differs', `Transaction ${proposal.index} gives no schedule a list: leave ${where} away.`);
  }
  return given.map((each) => {
    const lists = proposalFrom(text, { ...each, where });
    return { ...each, lists, comparison: proposedChanges(each, lists) };
  });
}
