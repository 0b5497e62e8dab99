import {
  fetchMaybeApproval,
  findApprovalAddress,
  type Ledgers,
  levelOf,
  millisOf,
  NO_DAILY_LIMIT,
  needsApproval,
  type PolicyChange,
  policyChangeOf,
  type Schedule,
  ScheduleStatus,
  type Spending,
  type Time,
  type Vault,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { withName } from './amounts.ts';
import { Failure } from './failure.ts';
import type { TokenInfo } from './token.ts';

/** Who approves, and above what. */
export type PolicyTerms = {
  readonly approver: Address;
  /** Base units of an execution or a withdrawal that need no approval. */
  readonly limit: bigint;
  /** Base units that are withdrawn or newly promised in a UTC day without approval. */
  readonly dailyLimit: bigint;
};

/** Who approves what in a vault. */
export type Policy = PolicyTerms & {
  readonly change: PolicyChange | undefined;
};

/** A vault's address and account. */
type Placed = { readonly address: Address; readonly vault: Vault };

/** The approval policy of a vault; undefined: none. */
export async function findPolicy(
  ledgers: Pick<Ledgers, 'base' | 'sending'>,
  { address, vault }: Placed,
): Promise<Policy | undefined> {
  if (vault.approval === 0) return undefined;
  const found = await fetchMaybeApproval(ledgers.base, await findApprovalAddress(address), levelOf(ledgers));
  if (!found.exists) throw new Failure('try-again', 'The approval policy is being changed just now. Try again.');
  const { approvalLimit: limit, dailyLimit } = vault;
  return { approver: found.data.approver, limit, dailyLimit, change: policyChangeOf(found.data) };
}

/**
 * Who must agree to a withdrawal or a new promise, or to whatever is changed of a schedule that still awaits its first approval;
 * undefined: nobody. `time`: the clock by which a day's sum counts.
 */
export async function approverFor(
  ledgers: Pick<Ledgers, 'base'>,
  placed: Placed,
  spending: Spending,
  { time, schedule }: { readonly time: Time; readonly schedule?: Schedule },
): Promise<Address | undefined> {
  const now = BigInt(Math.floor(time.now() / 1_000));
  const isAwaited = schedule?.status === ScheduleStatus.Awaiting || needsApproval(placed.vault, spending, now);
  return isAwaited ? (await findPolicy(ledgers, placed))?.approver : undefined;
}

const dailyText = (dailyLimit: bigint, token: TokenInfo) =>
  dailyLimit === NO_DAILY_LIMIT ? '' : `, or ${withName(dailyLimit, token)} in a day (UTC)`;

/** Above what somebody approves; their address follows. */
export function limitsText({ limit, dailyLimit }: Omit<PolicyTerms, 'approver'>, token: TokenInfo): string {
  const daily = dailyText(dailyLimit, token);
  return `${limit === 0n ? 'Everything' : `Above ${withName(limit, token)}`} for an execution or a withdrawal${limit === 0n ? '' : daily} is approved by`;
}

/** A change that waits, for programs. */
export const changeJson = (change: PolicyChange) => ({ ...change, at: millisOf(change.at) });

/** A policy for programs. */
export const policyJson = (policy: Policy | undefined) =>
  policy === undefined ? null : { ...policy, change: policy.change && changeJson(policy.change) };

/** A policy for people, sentence by sentence; `timeText` writes moments. */
export function policySentences(
  policy: Policy | undefined,
  token: TokenInfo,
  timeText: (at: number) => string,
): string[] {
  if (policy === undefined) return ['Nobody else must approve what you prepare.'];
  const { approver, change } = policy;
  const stands = `${limitsText(policy, token)} ${approver}.`;
  if (change === undefined) return [stands];
  const what =
    change.approver === undefined
      ? 'No approver any more'
      : `the approver ${change.approver} above ${withName(change.limit, token)}${dailyText(change.dailyLimit, token)}`;
  const waits = `A change waits: ${what}. The approver can agree at any time, the employer alone from ${timeText(millisOf(change.at))} on.`;
  return [stands, waits];
}
