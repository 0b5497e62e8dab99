import { type BaseConnection, levelOf } from '@payouts/client';
import {
  type Address,
  downgradeRoleToNonSigner,
  fetchEncodedAccount,
  fetchEncodedAccounts,
  type Instruction,
  type TransactionSigner,
} from '@solana/kit';
import type { Steps } from '../changes/change.ts';
import { Failure } from '../failure.ts';
import { checkFits } from '../fits.ts';
import { instructionsOf, messageBytes, roleAt } from './message.ts';
import {
  createTransactionInstructions,
  decodeMultisig,
  decodeTransaction,
  decodeVote,
  executeInstruction,
  findTransactionAddress,
  findTreasuryAddress,
  findVoteAddress,
  type Multisig,
  memberRoles,
  PERMISSIONS,
  type Permission,
  SQUADS_PROGRAM,
  type Vote,
  voteInstruction,
} from './squads.ts';

/** A multisig, and its vault, which is the employer. */
export type Treasury = {
  readonly multisig: Address;
  readonly vaultIndex: number;
  /** The vault's address: it owns tokens and pays for what it does. */
  readonly employer: Address;
  readonly state: Multisig;
};

/** What members of a treasury vote on. */
export type TreasuryProposal = {
  readonly index: bigint;
  readonly creator: Address;
  /** Undefined: its vote was never opened. */
  readonly vote: Vote | undefined;
  /** Votes on it count no more: members or threshold have changed since. */
  readonly isStale: boolean;
  /** What the treasury would sign. */
  readonly instructions: readonly Instruction[];
  readonly accounts: NonNullable<Instruction['accounts']>;
};

/** Reads a treasury. Throws `Failure` treasury-unknown. */
export async function readTreasury(ledgers: BaseConnection, multisig: Address, vaultIndex = 0): Promise<Treasury> {
  const found = await fetchEncodedAccount(ledgers.base, multisig, levelOf(ledgers));
  const state = found.exists && found.programAddress === SQUADS_PROGRAM ? decodeMultisig(found.data) : undefined;
  if (state !== undefined) {
    return { multisig, vaultIndex, employer: await findTreasuryAddress(multisig, vaultIndex), state };
  }
  throw new Failure(
    'treasury-unknown',
    `There is no multisig of Squads v4 at ${multisig} on this ledger. Name the multisig's own address, not its vault's.`,
  );
}

/** What each permission lets a member do. */
const RIGHTS: Readonly<Record<Permission, string>> = { initiate: 'propose', vote: 'vote', execute: 'execute' };

/** Whether a key is of a member who may do something. */
export const isAllowed = ({ state }: Treasury, key: Address, right: Permission): boolean =>
  state.members.some((member) => member.key === key && (member.permissions & PERMISSIONS[right]) !== 0);

/** Throws `Failure` not-member or role-refuses unless a key is of a member who may do something. */
export function checkMember(treasury: Treasury, key: Address, right: Permission): void {
  if (isAllowed(treasury, key, right)) return;
  const { multisig, state } = treasury;
  const member = state.members.find((each) => each.key === key);
  if (member === undefined) {
    throw new Failure(
      'not-member',
      `Your key, ${key}, is of no member of ${multisig}: payout roles list shows who is.`,
    );
  }
  const roles = memberRoles(member.permissions).join(' and ') || 'member without a role';
  throw new Failure(
    'role-refuses',
    `Your key, ${key}, is ${roles} of ${multisig}, and may not ${RIGHTS[right]}. Its members change roles in Squads' app.`,
  );
}

/**
 * The transactions by which a member proposes one of the treasury's, and approves it where they may vote. `number`: how many were proposed just
 * before it. Throws `Failure` not-member, role-refuses, signed-by-others or transaction-too-large.
 */
export async function proposalSteps(
  treasury: Treasury,
  member: TransactionSigner,
  instructions: readonly Instruction[],
  number = 0,
): Promise<{ readonly index: bigint; readonly steps: Steps }> {
  checkMember(treasury, member.address, 'initiate');
  const { multisig, vaultIndex, employer, state } = treasury;
  const index = state.transactionIndex + BigInt(number) + 1n;
  const voting = { multisig, index, member };
  const proposes = await createTransactionInstructions(voting, vaultIndex, messageBytes(employer, instructions));
  checkFits(proposes, member.address);
  const steps = [[proposes]];
  if (!isAllowed(treasury, member.address, 'vote')) return { index, steps };
  return { index, steps: [...steps, [[await voteInstruction(voting, 'approve')]]] };
}

/** Reads what was proposed under a number. Throws `Failure` proposal-unknown or proposal-unreadable. */
export async function readTreasuryProposal(
  ledgers: BaseConnection,
  { multisig, vaultIndex, state }: Treasury,
  index: bigint,
): Promise<TreasuryProposal> {
  const addresses = await Promise.all([findTransactionAddress(multisig, index), findVoteAddress(multisig, index)]);
  const [transaction, vote] = await fetchEncodedAccounts(ledgers.base, addresses, levelOf(ledgers));
  const kept = transaction?.exists ? decodeTransaction(transaction.data, multisig) : undefined;
  if (kept === undefined || kept.vaultIndex !== vaultIndex) {
    throw new Failure(
      'proposal-unknown',
      `${multisig} has no transaction ${index} of this vault that can be read here.`,
    );
  }
  const { creator, message } = kept;
  return {
    index,
    creator,
    vote: vote?.exists ? decodeVote(vote.data, multisig) : undefined,
    isStale: index <= state.staleTransactionIndex,
    instructions: instructionsOf(message),
    accounts: message.keys.map((address, place) => ({ address, role: roleAt(message, place) })),
  };
}

/** How many of the last transactions are looked at, for what waits. */
const LOOKED_AT = 50n;

/** What waits for votes, or to be executed, the newest first. What can't be read is left out: other vaults, other programs' making. */
export async function waitingProposals(ledgers: BaseConnection, treasury: Treasury): Promise<TreasuryProposal[]> {
  const { transactionIndex: last } = treasury.state;
  const count = Number(last < LOOKED_AT ? last : LOOKED_AT);
  const indexes = Array.from({ length: count }, (_, back) => last - BigInt(back));
  const all = await Promise.all(
    indexes.map((index) =>
      readTreasuryProposal(ledgers, treasury, index).catch((error: unknown) => {
        if (error instanceof Failure) return undefined;
        throw error;
      }),
    ),
  );
  return all.filter((each) => each !== undefined).filter(isWaiting);
}

const isWaiting = ({ vote, isStale }: TreasuryProposal): boolean =>
  (vote?.status === 'active' && !isStale) || vote?.status === 'approved';

/** A member's vote on a proposal. Throws `Failure` not-member, role-refuses, not-open or voted-before. */
export async function voteSteps(
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
  return [[[await voteInstruction({ multisig: treasury.multisig, index, member }, answer)]]];
}

function notOpen(index: bigint, vote: Vote | undefined, isStale: boolean): Failure {
  const why = isStale ? 'members or threshold have changed since' : (vote?.status ?? 'no vote was opened on it');
  return new Failure('not-open', `Nobody votes on transaction ${index} any more: ${why}.`);
}

/** Carries out what enough members have approved. `now` in unix milliseconds. Throws `Failure` not-member, role-refuses, not-approved or time-lock. */
export async function executionSteps(
  treasury: Treasury,
  { index, vote, accounts }: TreasuryProposal,
  member: TransactionSigner,
  now: number,
): Promise<Steps> {
  checkMember(treasury, member.address, 'execute');
  const { state } = treasury;
  if (vote?.status !== 'approved') {
    const stands = vote === undefined ? 'has no vote' : `is ${vote.status}: ${votesText(treasury, vote)}`;
    throw new Failure('not-approved', `Transaction ${index} ${stands}. It takes ${state.threshold} members.`);
  }
  const from = Number(vote.since) + state.timeLock;
  if (now < from * 1_000) {
    throw new Failure(
      'time-lock',
      `The treasury's time lock holds it back for ${from - Math.floor(now / 1_000)} s more.`,
    );
  }
  return [[[await executionInstruction(treasury, { index, accounts }, member)]]];
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

/** How many have approved, of how many that are needed. */
export const votesText = ({ state }: Treasury, { approved, rejected }: Vote): string => {
  const against = rejected.length > 0 ? `, ${rejected.length} against it` : '';
  return `${approved.length} of ${state.threshold} have approved${against}`;
};
