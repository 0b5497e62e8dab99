import { named } from '@payouts/testing/litesvm/addresses';
import { must, START } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { APPROVER, LIMIT, POLICY, type Policy, REMOVAL } from '../fixtures/constants.ts';
import { confirmApproval, guard, setApproval } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { readApproval, readVault } from '../harness/read.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';

const WEEK = 604_800n;
const OTHER: Policy = { approver: named('another approver'), limit: LIMIT + 1n, dailyLimit: 9n };

/** A vault with a policy and a change that waits. */
function waiting(policy: Policy) {
  const scene = done(setApproval);
  must(scene.world.base.send(build.setApproval(scene.world, scene.vault, policy)));
  return scene;
}

describe('confirm_approval', () => {
  it('removes the policy at once when the approver agrees; the rent goes back to the employer', () => {
    const { scene, changes, events } = effectIn(confirmApproval);
    const { vault, world } = scene;
    expect(changes.vault).toEqual({
      approval: [1, 0],
      approvalLimit: [LIMIT, 0n],
      dailyLimit: [POLICY.dailyLimit, 0n],
    });
    expect(changes.approval).toEqual({ removed: true });
    expect(changes.employer).toEqual({ lamports: world.base.minimumBalance(160) });
    expect(events).toEqual([{ __kind: 'ApprovalRemoved', vault: vault.address }]);
    must(world.base.send(build.withdraw(vault, 100_000n)));
    must(world.base.send(build.closeVault(vault)));
  });

  it('hands over to another approver, who can then be the one who agrees', () => {
    const scene = waiting(OTHER);
    const { world, vault } = scene;
    const { events } = effectOf(confirmApproval, scene, build.confirmApproval(vault, OTHER));
    expect(events).toEqual([{ __kind: 'ApprovalSet', vault: vault.address, ...OTHER }]);
    expect(readApproval(world, vault)).toMatchObject({ approver: OTHER.approver, changeAt: 0n });
    expect(readVault(world, vault)).toMatchObject({ approval: 1, approvalLimit: LIMIT + 1n, dailyLimit: 9n });
    must(world.base.send(build.setApproval(world, vault, REMOVAL)));
    expect(refusal(confirmApproval, scene, build.confirmApproval(vault, REMOVAL, APPROVER))).toBe('NotApprover');
    effectOf(confirmApproval, scene, build.confirmApproval(vault, REMOVAL, OTHER.approver));
  });

  it('lets the employer alone wait for a week, to the second', () => {
    for (const policy of [OTHER, REMOVAL]) {
      const scene = waiting(policy);
      const { world, vault } = scene;
      const alone = build.confirmApproval(vault, policy, vault.employer);
      expect(refusal(confirmApproval, scene, alone)).toBe('ChangeNotDue');
      world.setTime(START + WEEK - 1n);
      expect(refusal(confirmApproval, scene, alone)).toBe('ChangeNotDue');
      world.setTime(START + WEEK);
      effectOf(confirmApproval, scene, alone);
      expect(readVault(world, vault).approval).toBe(policy === OTHER ? 1 : 0);
    }
  });

  it('refuses another change than the one that waits', () => {
    const scene = waiting(OTHER);
    const { world, vault } = scene;
    for (const policy of [
      REMOVAL,
      { ...OTHER, limit: LIMIT },
      { ...OTHER, dailyLimit: 8n },
      { ...OTHER, approver: world.stranger },
    ]) {
      expect(refusal(confirmApproval, scene, build.confirmApproval(vault, policy))).toBe('ProposalChanged');
    }
  });

  it('refuses where nothing waits, and the next approver', () => {
    const scene = guard(done(setApproval), { ...POLICY, limit: 0n });
    const { world, vault } = scene;
    expect(refusal(confirmApproval, scene, build.confirmApproval(vault, REMOVAL))).toBe('NothingProposed');
    world.setTime(START + 2n * WEEK);
    const alone = build.confirmApproval(vault, REMOVAL, vault.employer);
    expect(refusal(confirmApproval, scene, alone)).toBe('NothingProposed');
    must(world.base.send(build.setApproval(world, vault, OTHER)));
    const early = build.confirmApproval(vault, OTHER, OTHER.approver);
    expect(refusal(confirmApproval, scene, early)).toBe('NotApprover');
  });

  it('leaves no way round by closing the vault', () => {
    const { world, vault } = done(setApproval);
    expect(world.base.send(build.closeVault(vault)).failure).toBe('ApprovalPolicyStands');
  });
});
