import { type BaseConnection, bytesOf, isSameBytes, MOST_BYTES } from '@payouts/client';
import type { Instruction, TransactionSigner } from '@solana/kit';
import type { Steps } from '../changes/change.ts';
import { checkFits } from '../fits.ts';
import { messageBytes } from './message.ts';
import { createTransactionInstructions, voteInstruction } from './squads.ts';
import {
  checkMember,
  isAllowed,
  readTreasury,
  type Treasury,
  type TreasuryProposal,
  waitingProposals,
} from './treasury.ts';

/**
 * The transactions by which a member proposes one of the treasury's, and approves it where they may vote: one, unless both don't fit. Throws
 * `Failure` not-member, role-refuses, signed-by-others or transaction-too-large.
 */
export async function proposalSteps(
  treasury: Treasury,
  member: TransactionSigner,
  instructions: readonly Instruction[],
): Promise<{ readonly index: bigint; readonly steps: Steps }> {
  checkMember(treasury, member.address, 'initiate');
  const { multisig, vaultIndex, employer, state } = treasury;
  const index = state.transactionIndex + 1n;
  const voting = { multisig, index, member };
  const proposes = await createTransactionInstructions(voting, vaultIndex, messageBytes(employer, instructions));
  checkFits(proposes, member.address);
  if (!isAllowed(treasury, member.address, 'vote')) return { index, steps: [[proposes]] };
  const vote = await voteInstruction(voting, 'approve');
  const all = [...proposes, vote];
  return { index, steps: bytesOf(all, member.address) <= MOST_BYTES ? [[all]] : [[proposes], [[vote]]] };
}

/** What was proposed: others decide. */
export type ProposedTransactions = {
  /** Their numbers, in the order in which they are to be executed. */
  readonly indexes: readonly bigint[];
  /** Those of them that the same member had proposed before, and that wait. */
  readonly waited: readonly bigint[];
  /** Whether the proposer's own approval counts already. */
  readonly isApproved: boolean;
};

/**
 * Proposes what a treasury would send, one transaction after the other, each under the multisig's next number. What the same member has
 * proposed before, and what waits still, is not proposed again: whoever executes both would do it twice. `send` signs and sends what the
 * member does; it is told the place of what that proposes. Throws what `proposalSteps`, `readTreasury` and `send` throw.
 */
export async function proposeSteps(
  ledgers: BaseConnection,
  { multisig, vaultIndex }: Treasury,
  { member, steps }: { readonly member: TransactionSigner; readonly steps: Steps },
  send: (own: Steps, place: number) => Promise<unknown>,
): Promise<ProposedTransactions> {
  const indexes: bigint[] = [];
  const waited: bigint[] = [];
  let isApproved = false;
  for (const instructions of steps.flat()) {
    // Read anew: the one before has taken a number, and others propose, too.
    const treasury = await readTreasury(ledgers, multisig, vaultIndex);
    const waiting = (await waitingProposals(ledgers, treasury)).filter(
      (each) => each.creator === member.address && !waited.includes(each.index) && !indexes.includes(each.index),
    );
    const before = waiting.findLast((each) => isSame(each, treasury, instructions));
    if (before !== undefined) {
      indexes.push(before.index);
      waited.push(before.index);
      isApproved = before.vote?.approved.includes(member.address) === true;
      continue;
    }
    const { index, steps: own } = await proposalSteps(treasury, member, instructions);
    await send(own, indexes.length);
    indexes.push(index);
    isApproved = isAllowed(treasury, member.address, 'vote');
  }
  return { indexes, waited, isApproved };
}

/** Whether a proposal has a treasury sign just these instructions. */
function isSame(
  { instructions: proposed }: TreasuryProposal,
  { employer }: Treasury,
  wanted: readonly Instruction[],
): boolean {
  const [one, other] = [proposed, wanted].map((instructions) => messageBytes(employer, instructions));
  return isSameBytes(one as Uint8Array, other as Uint8Array);
}
