import { named } from '@payouts/testing/litesvm/addresses';
import { START } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { APPROVER, LIMIT, POLICY, type Policy, REMOVAL } from '../fixtures/constants.ts';
import { deposit, guard, setApproval } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { readApproval, readVault } from '../harness/read.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';

const WEEK = 604_800n;
const OTHER = { ...POLICY, approver: named('another approver') };

describe('set_approval', () => {
  it('names the first approver at once', () => {
    const { scene, changes, events } = effectIn(setApproval);
    const { vault } = scene;
    expect(changes.vault).toEqual({
      approval: [0, 1],
      approvalLimit: [0n, LIMIT],
      dailyLimit: [0n, POLICY.dailyLimit],
    });
    expect(changes.approval).toMatchObject({ created: true, size: 160, vault: vault.address, setAt: START });
    expect(readApproval(scene.world, vault)).toMatchObject({ approver: APPROVER, changeAt: 0n });
    expect(events).toEqual([{ __kind: 'ApprovalSet', vault: vault.address, ...POLICY }]);
  });

  it('lowers the limit at once, and takes back what waited', () => {
    const scene = guard(done(deposit));
    const { world, vault } = scene;
    effectOf(setApproval, scene, build.setApproval(world, vault, OTHER));
    const lower = { ...POLICY, limit: 0n };
    const { changes } = effectOf(setApproval, scene, build.setApproval(world, vault, lower));
    expect(changes.vault).toEqual({ approvalLimit: [LIMIT, 0n] });
    expect(readApproval(world, vault)).toMatchObject({ approver: APPROVER, changeAt: 0n, nextLimit: 0n });
  });

  it.each([
    ['a higher limit', { ...POLICY, limit: LIMIT + 1n }],
    ['another approver, whatever the limit', { ...OTHER, limit: 0n }],
    ['the removal', REMOVAL],
  ])('lets %s wait for a week, and changes nothing until then', (_, policy) => {
    const scene = guard(done(deposit));
    const { world, vault } = scene;
    const { changes, events } = effectOf(setApproval, scene, build.setApproval(world, vault, policy));
    expect(changes.vault).toBeUndefined();
    expect(readVault(world, vault)).toMatchObject({ approval: 1, approvalLimit: LIMIT });
    expect(readApproval(world, vault)).toMatchObject({
      approver: APPROVER,
      nextApprover: policy.approver,
      nextLimit: policy.limit,
      nextDailyLimit: policy.dailyLimit,
      changeAt: START + WEEK,
    });
    expect(events).toEqual([
      { __kind: 'ApprovalChangeProposed', vault: vault.address, ...policy, changeAt: START + WEEK },
    ]);
  });

  it('lowers the daily limit at once, and lets a higher one wait', () => {
    const scene = guard(done(deposit));
    const { world, vault } = scene;
    const lower = { ...POLICY, dailyLimit: 9n };
    const { changes } = effectOf(setApproval, scene, build.setApproval(world, vault, lower));
    expect(changes.vault).toEqual({ dailyLimit: [POLICY.dailyLimit, 9n] });
    effectOf(setApproval, scene, build.setApproval(world, vault, { ...lower, dailyLimit: 10n }));
    expect(readVault(world, vault).dailyLimit).toBe(9n);
    expect(readApproval(world, vault)).toMatchObject({ nextDailyLimit: 10n, changeAt: START + WEEK });
  });

  it('gives the employer no shorter time by asking again', () => {
    const scene = guard(done(deposit));
    const { world, vault } = scene;
    effectOf(setApproval, scene, build.setApproval(world, vault, REMOVAL));
    world.setTime(START + WEEK - 1n);
    effectOf(setApproval, scene, build.setApproval(world, vault, OTHER));
    expect(readApproval(world, vault).changeAt).toBe(START + 2n * WEEK - 1n);
  });

  it('refuses an employer who would approve alone, and a removal of nothing', () => {
    const scene = done(deposit);
    const { world, vault } = scene;
    const asked = (policy: Policy) => refusal(setApproval, scene, build.setApproval(world, vault, policy));
    expect(asked({ ...POLICY, approver: vault.employer })).toBe('InvalidApprover');
    expect(asked(REMOVAL)).toBe('InvalidApprover');
    guard(scene);
    expect(asked({ ...REMOVAL, limit: 1n })).toBe('InvalidApprover');
    expect(asked({ ...REMOVAL, dailyLimit: 1n })).toBe('InvalidApprover');
    expect(asked({ ...POLICY, approver: vault.employer })).toBe('InvalidApprover');
  });
});
