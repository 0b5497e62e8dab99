import {
  fetchMaybeVault,
  getConfirmApprovalInstructionAsync,
  getSetApprovalInstructionAsync,
  levelOf,
  millisOf,
  NO_APPROVER,
  type PolicyChange,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { Failure } from '../failure.ts';
import { changeJson, findPolicy, limitsText, type Policy, type PolicyTerms, policySentences } from '../policy.ts';
import type { EmployerSession, OwnVault } from '../session.ts';
import { readToken, type TokenInfo } from '../token.ts';
import { vaultsApprovedBy } from '../vault.ts';
import { atOnce, type PlannedChange } from './change.ts';

const AT_ONCE =
  'This holds at once. To loosen it again takes that key, or a week in which everybody can see it coming.';
const LATER =
  'That loosens your limits, so it waits: your current approver can confirm it at any time, you yourself after a week.';

/** Names a vault's approver and limits. Throws `Failure` approver-invalid. */
export async function setApproval(own: OwnVault, wanted: PolicyTerms): Promise<PlannedChange> {
  const { employer, ledgers, token, vault } = own;
  if (wanted.approver === employer.address) {
    throw new Failure('approver-invalid', 'That is your own key: the approver must be somebody else.');
  }
  const policy = await findPolicy(ledgers, vault);
  const isStricter =
    wanted.approver === policy?.approver && wanted.limit <= policy.limit && wanted.dailyLimit <= policy.dailyLimit;
  const isAtOnce = policy === undefined || isStricter;
  return proposed(own, wanted, [`${limitsText(wanted, token)} ${wanted.approver}.`, isAtOnce ? AT_ONCE : LATER]);
}

/** Has a vault's approver removed. Throws `Failure` no-approver. */
export async function removeApproval(own: OwnVault): Promise<PlannedChange> {
  const { ledgers, token, vault } = own;
  if ((await findPolicy(ledgers, vault)) === undefined) {
    throw new Failure('no-approver', `Your vault of ${token.name} has no approver.`);
  }
  const nobody = { approver: NO_APPROVER, limit: 0n, dailyLimit: 0n };
  return proposed(own, nobody, ['Nobody else approves any more.', LATER]);
}

async function proposed({ employer, vault }: OwnVault, wanted: PolicyTerms, effects: string[]): Promise<PlannedChange> {
  const { address } = vault;
  return {
    effects,
    plan: { vault: address, ...wanted },
    steps: atOnce(await getSetApprovalInstructionAsync({ employer, payer: employer, vault: address, ...wanted })),
    done: 'Done.',
    result: { vault: address },
  };
}

/** A vault, whose change of policy its approver or its employer confirms. */
export type PolicyInput = {
  readonly address: Address;
  readonly owner: Address;
  readonly token: TokenInfo;
  readonly policy: Policy | undefined;
};

/** Changes of policies that wait for somebody who approves. */
export async function policiesAwaiting(
  { ledgers }: Pick<EmployerSession, 'ledgers'>,
  approver: Address,
): Promise<PolicyInput[]> {
  const found: PolicyInput[] = [];
  for (const address of await vaultsApprovedBy(ledgers, approver)) {
    const vault = await fetchMaybeVault(ledgers.base, address, levelOf(ledgers));
    if (!vault.exists) continue;
    const policy = await findPolicy(ledgers, { address, vault: vault.data });
    if (policy?.change === undefined) continue;
    const token = await readToken(ledgers, vault.data.mint);
    found.push({ address, owner: vault.data.employer, token, policy });
  }
  return found;
}

/** Makes the change of a policy that waits. Throws `Failure` nothing-proposed, not-approver or not-due. */
export async function confirmApproval(
  { employer: signer, ledgers, timeText }: EmployerSession,
  { address, owner, token, policy }: PolicyInput,
): Promise<PlannedChange> {
  const change = policy?.change;
  if (policy === undefined || change === undefined) {
    throw new Failure('nothing-proposed', `No change of an approval policy waits for the vault ${address}.`);
  }
  checkMayConfirm(signer.address, { owner, policy, change, now: ledgers.time.now(), timeText });
  const { approver = NO_APPROVER, limit, dailyLimit } = change;
  const input = { signer, employer: owner, vault: address, approver, limit, dailyLimit };
  return {
    effects: policySentences(policy, token, timeText),
    plan: { vault: address, ...changeJson(change) },
    steps: atOnce(await getConfirmApprovalInstructionAsync(input)),
    done: 'Done.',
    result: { vault: address },
  };
}

function checkMayConfirm(
  signer: Address,
  input: {
    readonly owner: Address;
    readonly policy: Policy;
    readonly change: PolicyChange;
    readonly now: number;
    readonly timeText: (at: number) => string;
  },
): void {
  const { owner, policy, change, now, timeText } = input;
  if (signer !== owner && signer !== policy.approver) {
    throw new Failure('not-approver', `${policy.approver} approves here, and your key is ${signer}.`);
  }
  if (signer === owner && now < millisOf(change.at)) {
    throw new Failure(
      'not-due',
      `You alone can confirm it from ${timeText(millisOf(change.at))} on; your approver at any time.`,
    );
  }
}
