import { type Address, isSignerRole } from '@solana/kit';
import { expect, it } from 'vitest';
import { fixtures } from '../fixtures/all.ts';
import { APPROVER } from '../fixtures/constants.ts';
import type { ScheduleScene } from '../fixtures/index.ts';
import type { Scene } from '../harness/fixture.ts';
import { accountNames } from '../negatives/names.ts';
import { refusal } from './support/call.ts';

/** What is said to others who sign in the place of an account, by its name or by `instruction.account`. */
const SAID_TO_OTHERS: Readonly<Record<string, string>> = {
  upgradeAuthority: 'NotUpgradeAuthority',
  governance: 'NotGovernance',
  pendingGovernance: 'NotGovernance',
  pendingAuthority: 'NotProposed',
  guardian: 'NotGuardian',
  employer: 'NotEmployer',
  // Whose vault it is follows from who opens it.
  'initVault.employer': 'InvalidAddress',
  // Whose role it is follows from who gives it.
  'setRole.employer': 'InvalidAddress',
  'changeRole.employer': 'InvalidAddress',
  approver: 'NotApprover',
  authority: 'NotExecutionAuthority',
  signer: 'NotRecipient',
  'revokeLoss.signer': 'NotGovernance',
  'refuseAuthority.signer': 'NotGovernance',
  'proposeReplacement.signer': 'NotGovernance',
  'refuseReplacement.signer': 'NotGovernance',
  'declareLossAlone.signer': 'NotGovernance',
  next: 'NotProposed',
  'suspend.signer': 'NotGovernance',
  'requestRecovery.signer': 'NotRecoveryWallet',
  'completeRecovery.signer': 'NotRecoveryWallet',
  'confirmApproval.signer': 'NotApprover',
  'rejectSchedule.signer': 'NotApprover',
  recipient: 'InvalidProof',
  // By the token program: the tokens are somebody else's.
  depositor: 'Custom 4',
};
/** Whoever pays for accounts may be anybody; escrow and buffer are the delegation program's. */
const OTHERS: readonly string[] = ['payer', 'escrow', 'buffer'];
/** Who else may sign than whoever does. */
const ALSO_ENTITLED: Readonly<Record<string, string>> = {
  'revokeLoss.signer': 'governance',
  'refuseAuthority.signer': 'governance',
  'proposeReplacement.signer': 'guardian',
  'refuseReplacement.signer': 'governance',
  'declareLossAlone.signer': 'guardian',
  'suspend.signer': 'governance',
  'confirmApproval.signer': 'employer',
  'rejectSchedule.signer': 'employer',
  'openPersonal.signer': 'authority',
};

/** Everybody who has a part in some instruction, and a stranger. */
function everybodyIn(scene: Scene): [string, Address | undefined][] {
  const { stranger, upgradeAuthority, governance, guardian, authority } = scene.world;
  const { vault, list } = scene as Partial<ScheduleScene>;
  const [employer, recipient] = [vault?.employer, list?.holders[0]?.recipient];
  const all = { stranger, upgradeAuthority, governance, guardian, authority, employer, recipient, approver: APPROVER };
  return Object.entries(all);
}

it.each(fixtures.map((fixture) => [fixture.name, fixture] as const))('%s refuses other signers', (name, fixture) => {
  const { scene, instruction } = fixture.prepare();
  const { accounts = [] } = instruction;
  for (const [place, account] of accountNames(instruction).entries()) {
    if (!isSignerRole(accounts[place]?.role ?? 0) || OTHERS.includes(account)) continue;
    const key = `${name}.${account}`;
    for (const [who, address] of everybodyIn(scene)) {
      if (address === undefined || address === accounts[place]?.address || who === ALSO_ENTITLED[key]) continue;
      const signed = accounts.map((each, at) => (at === place ? { ...each, address } : each));
      const error = refusal(fixture, scene, { ...instruction, accounts: signed });
      expect([who, error]).toEqual([who, SAID_TO_OTHERS[key] ?? SAID_TO_OTHERS[account]]);
    }
  }
});
