import { downgradeRoleToNonSigner, type Instruction, type TransactionSigner } from '@solana/kit';
import { atOnce, type Steps } from '../changes/change.ts';
import { Failure } from '../failure.ts';
import { type ProposalEffect, proposalEffects } from './describe.ts';
import { executeInstruction, PERMISSIONS, type Vote, voteInstruction } from './squads.ts';
import { checkMember, readTreasuryProposal, type Treasury, type TreasuryProposal } from './treasury.ts';

/** What a member does with a proposal. */
export type Decision = 'approve' | 'reject' | 'execute';

/** A proposal, and what it does. */
export type DescribedProposal = { readonly proposal: TreasuryProposal; readonly effects: readonly ProposalEffect[] };

export const describedProposal = async (
  context: Parameters<typeof proposalEffects>[0],
  proposal: TreasuryProposal,
): Promise<DescribedProposal> => ({ proposal, effects: await proposalEffects(context, proposal) });

/** What a member decides of a proposal as it stands now, and what it would do. Throws what `voteSteps`, `executionSteps` and `readTreasuryProposal` throw. */
export async function decisionOn(
  { ledgers, treasury }: Parameters<typeof proposalEffects>[0],
  index: bigint,
  { member, decision }: { readonly member: TransactionSigner; readonly decision: Decision },
): Promise<DescribedProposal & { readonly steps: Steps }> {
  const proposal = await readTreasuryProposal(ledgers, treasury, index);
  const steps =
    decision === 'execute'
      ? await executionSteps(treasury, proposal, member, ledgers.time.now())
      : await voteSteps(treasury, proposal, member, decision);
  return { ...(await describedProposal({ ledgers, treasury }, proposal)), steps };
}

/** A member's vote on a proposal. Throws `Failure` not-member, role-refuses, not-open or voted-before. */
async function voteSteps(
  treasury: Treasury,
  { index, vote, isStale }: TreasuryProposal,
  member: TransactionSigner,
  answer: 'approve' | 'reject',
): Promise<Steps> {
  checkMember(treasury, member.address, 'vote');
  if (vote?.status !== 'active' || isStale) throw notOpen(index, vote, isStale);
  const voted = answer === 'approve' ? vote.approved : vote.rejected;
  if (voted.includes(member.address)) {
    throw new Failure('voted-before', `You have ${answer === 'approve' ? 'approved' : 'rejected'} it already.`);
  }
  return atOnce(await voteInstruction({ multisig: treasury.multisig, index, member }, answer));
}

function notOpen(index: bigint, vote: Vote | undefined, isStale: boolean): Failure {
  const why = isStale ? 'members or threshold have changed since' : (vote?.status ?? 'no vote was opened on it');
  return new Failure('not-open', `Nobody votes on transaction ${index} any more: ${why}.`);
}

/** Carries out what enough members have approved. `now` in unix milliseconds. Throws `Failure` not-member, role-refuses, not-approved or time-lock. */
async function executionSteps(
  treasury: Treasury,
  { index, vote, accounts }: TreasuryProposal,
  member: TransactionSigner,
  now: number,
): Promise<Steps> {
  checkMember(treasury, member.address, 'execute');
  const { state } = treasury;
  if (vote?.status !== 'approved') {
    const stands = vote === undefined ? 'has no vote' : `is ${standingText(treasury, vote)}`;
    throw new Failure('not-approved', `Transaction ${index} ${stands}. It takes ${state.threshold} members.`);
  }
  const from = Number(vote.since) + state.timeLock;
  if (now < from * 1_000) {
    throw new Failure(
      'time-lock',
      `The treasury's time lock holds it back for ${from - Math.floor(now / 1_000)} s more.`,
    );
  }
  return atOnce(await executionInstruction(treasury, { index, accounts }, member));
}

/** What carries a proposal out, whether the multisig's program takes it or not. */
export const executionInstruction = (
  { multisig, employer }: Treasury,
  { index, accounts }: Pick<TreasuryProposal, 'index' | 'accounts'>,
  member: TransactionSigner,
): Promise<Instruction> =>
  executeInstruction(
    { multisig, index, member },
    // The vault signs by its program: whoever executes it gives it as one that does not.
    accounts.map((each) => (each.address === employer ? { ...each, role: downgradeRoleToNonSigner(each.role) } : each)),
  );

/** How many approvers decide. */
export function votesNeeded({ state: { members, threshold } }: Treasury): string {
  const approvers = members.filter(({ permissions }) => (permissions & PERMISSIONS.vote) !== 0).length;
  return `${threshold} of ${approvers} approvers decide.`;
}

/** How a vote stands: its status, and how many have approved, of how many that are needed. */
export function standingText({ state }: Treasury, vote: Vote | undefined): string {
  if (vote === undefined) return 'no vote on it was opened';
  const { status, approved, rejected } = vote;
  const against = rejected.length > 0 ? `, ${rejected.length} against it` : '';
  return `${status}: ${approved.length} of ${state.threshold} have approved${against}`;
}
