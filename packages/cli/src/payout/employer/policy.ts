import {
  fetchMaybeApproval,
  findApprovalAddress,
  type Ledgers,
  needsApproval,
  type PolicyChange,
  policyChangeOf,
  type Schedule,
  ScheduleStatus,
  type Vault,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { withName } from '../amounts.ts';
import { Failure } from '../failure.ts';
import { wrapped } from '../output.ts';
import { timeText } from '../timeText.ts';
import type { TokenInfo } from '../token.ts';

/** Who approves what in a vault. */
export type Policy = {
  readonly approver: Address;
  /** Base units of an execution or a withdrawal that need no approval. */
  readonly limit: bigint;
  readonly change: PolicyChange | undefined;
};

/** A vault's address and account. */
type Placed = { readonly address: Address; readonly vault: Vault };

/** The approval policy of a vault; undefined: none. */
export async function findPolicy(
  { base }: Pick<Ledgers, 'base'>,
  { address, vault }: Placed,
): Promise<Policy | undefined> {
  if (vault.approval === 0) return undefined;
  const found = await fetchMaybeApproval(base, await findApprovalAddress(address), { commitment: 'finalized' });
  if (!found.exists) throw new Failure('try-again', 'The approval policy is being changed just now. Try again.');
  return { approver: found.data.approver, limit: vault.approvalLimit, change: policyChangeOf(found.data) };
}

/**
 * Who must agree to so many base units for an execution or a withdrawal, or to whatever is changed of a schedule that still awaits
 * its first approval; undefined: nobody.
 */
export async function approverFor(
  ledgers: Pick<Ledgers, 'base'>,
  placed: Placed,
  amount: bigint,
  schedule?: Schedule,
): Promise<Address | undefined> {
  const isAwaited = schedule?.status === ScheduleStatus.Awaiting || needsApproval(placed.vault, amount);
  return isAwaited ? (await findPolicy(ledgers, placed))?.approver : undefined;
}

/** A policy for people. */
export function policyLines(policy: Policy | undefined, token: TokenInfo): string[] {
  if (policy === undefined) return ['Nobody else must approve what you prepare.'];
  const { approver, limit, change } = policy;
  const lines = [
    ...wrapped(
      `${limit === 0n ? 'Everything' : `Above ${withName(limit, token)}`} for an execution or a withdrawal is approved by`,
    ),
    `  ${approver}`,
  ];
  if (change === undefined) return lines;
  const what =
    change.approver === undefined
      ? 'No approver any more'
      : `${withName(change.limit, token)} with the approver ${change.approver}`;
  return [
    ...lines,
    '',
    ...wrapped(
      `A change waits: ${what}. The approver can agree at any time, the employer alone from ${timeText(change.at)} on.`,
    ),
  ];
}
