import { type BaseConnection, levelOf } from '@payouts/client';
import {
  type Address,
  fetchEncodedAccount,
  fetchEncodedAccounts,
  type Instruction,
  type MaybeEncodedAccount,
} from '@solana/kit';
import { Failure } from '../failure.ts';
import { instructionsOf, roleAt } from './message.ts';
import {
  decodeMultisig,
  decodeTransaction,
  decodeVote,
  findTransactionAddress,
  findTreasuryAddress,
  findVoteAddress,
  type Multisig,
  memberRoles,
  PERMISSIONS,
  type Permission,
  SQUADS_PROGRAM,
  type Vote,
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

/** Reads what was proposed under a number. Throws `Failure` proposal-unknown or proposal-unreadable. */
export async function readTreasuryProposal(
  ledgers: BaseConnection,
  treasury: Treasury,
  index: bigint,
): Promise<TreasuryProposal> {
  const [accounts] = await proposalAccounts(ledgers, treasury, [index]);
  return proposalFrom(treasury, accounts as ProposalAccounts);
}

/** A transaction of a multisig and its vote, as far as they are there. */
type ProposalAccounts = {
  readonly index: bigint;
  readonly transaction: MaybeEncodedAccount | undefined;
  readonly vote: MaybeEncodedAccount | undefined;
};

/** Reads the accounts of some of a multisig's transactions, which are no more than `LOOKED_AT`, in one call. */
async function proposalAccounts(
  ledgers: BaseConnection,
  { multisig }: Treasury,
  indexes: readonly bigint[],
): Promise<ProposalAccounts[]> {
  const addresses = await Promise.all(
    indexes.flatMap((index) => [findTransactionAddress(multisig, index), findVoteAddress(multisig, index)]),
  );
  const found = await fetchEncodedAccounts(ledgers.base, addresses, levelOf(ledgers));
  return indexes.map((index, place) => ({ index, transaction: found[2 * place], vote: found[2 * place + 1] }));
}

/** Throws `Failure` proposal-unknown or proposal-unreadable. */
function proposalFrom(
  { multisig, vaultIndex, state }: Treasury,
  { index, transaction, vote }: ProposalAccounts,
): TreasuryProposal {
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

/** How many of the last transactions are looked at, for what waits: a ledger shows 100 accounts at once. */
const LOOKED_AT = 50n;

/** What waits for votes, or to be executed, the newest first. What can't be read is left out: other vaults, other programs' making. */
export async function waitingProposals(ledgers: BaseConnection, treasury: Treasury): Promise<TreasuryProposal[]> {
  const { transactionIndex: last } = treasury.state;
  const count = Number(last < LOOKED_AT ? last : LOOKED_AT);
  if (count === 0) return [];
  const indexes = Array.from({ length: count }, (_, back) => last - BigInt(back));
  const all = await proposalAccounts(ledgers, treasury, indexes);
  return all.flatMap((accounts) => readable(treasury, accounts)).filter(isWaiting);
}

function readable(treasury: Treasury, accounts: ProposalAccounts): TreasuryProposal[] {
  try {
    return [proposalFrom(treasury, accounts)];
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  }
}

const isWaiting = ({ vote, isStale }: TreasuryProposal): boolean =>
  (vote?.status === 'active' && !isStale) || vote?.status === 'approved';
