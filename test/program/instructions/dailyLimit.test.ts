import { ScheduleStatus } from '@payouts/client';
import { must, START } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { DAY, POLICY, REMOVAL } from '../fixtures/constants.ts';
import { deposit, guard, promiseOf, type ScheduleScene, type VaultScene, withdraw } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { listOf } from '../harness/list.ts';
import { readSchedule, readVault } from '../harness/read.ts';
import { effectOf, refusal } from './support/call.ts';
import { addSchedule, crowd } from './support/scenes.ts';

const DAILY = 6_000n;
const TODAY = Number(START / BigInt(DAY));
const MIDNIGHT = BigInt(TODAY + 1) * BigInt(DAY);

/** A vault whose employer alone may spend so much in a day. */
const guarded = () => guard(done(deposit), { ...POLICY, dailyLimit: DAILY });
const spent = ({ world, vault }: VaultScene) => readVault(world, vault).spentAlone;
/** Two windows of 1,000 each, below both limits. */
const small = (scene: VaultScene, id = 1n) => addSchedule(scene, id, crowd(2, 500n), { executions: 2 });
const statusOf = ({ world, schedule }: ScheduleScene) => readSchedule(world, schedule).status;
const take = (scene: VaultScene, amount: bigint) => refusal(withdraw, scene, build.withdraw(scene.vault, amount));

describe('a daily limit', () => {
  it('counts withdrawals of a UTC day together, to the base unit', () => {
    const scene = guarded();
    const { world, vault } = scene;
    const { changes } = effectOf(withdraw, scene, build.withdraw(vault, 4_000n));
    expect(changes.vault).toEqual({ withdrawn: [0n, 4_000n], spentDay: [0, TODAY], spentAlone: [0n, 4_000n] });
    expect(take(scene, 2_001n)).toBe('ApprovalRequired');
    expect(take(scene, 2_000n)).toBeUndefined();
    expect(take(scene, 1n)).toBe('ApprovalRequired');
    world.setTime(MIDNIGHT - 1n);
    expect(take(scene, 1n)).toBe('ApprovalRequired');
    world.setTime(MIDNIGHT);
    expect(take(scene, 5_000n)).toBeUndefined();
    expect(readVault(world, vault)).toMatchObject({ spentDay: TODAY + 1, spentAlone: 5_000n });
  });

  it('does not count what the approver signs, and what is above the limit for each stays so', () => {
    const scene = guarded();
    must(scene.world.base.send(build.withdrawApproved(scene.vault, 20_000n)));
    expect(spent(scene)).toBe(0n);
    expect(take(scene, 5_001n)).toBe('ApprovalRequired');
    expect(spent(scene)).toBe(0n);
  });

  it('counts all executions of a new schedule, which awaits the approver above it', () => {
    const scene = guarded();
    expect(statusOf(small(scene))).toBe(ScheduleStatus.Active);
    expect(spent(scene)).toBe(2_000n);
    const large = addSchedule(scene, 2n, crowd(1, 2_001n), { executions: 2 });
    expect(statusOf(large)).toBe(ScheduleStatus.Awaiting);
    expect(spent(scene)).toBe(2_000n);
    effectOf(withdraw, large, build.approveSchedule(scene.world, large.schedule));
    expect(statusOf(large)).toBe(ScheduleStatus.Active);
    expect(spent(scene)).toBe(2_000n);
  });

  it('counts more executions, which wait above it', () => {
    const scene = small(guarded());
    const { world, schedule } = scene;
    must(world.base.send(build.fundSchedule(schedule, 4)));
    expect(spent(scene)).toBe(6_000n);
    must(world.base.send(build.fundSchedule(schedule, 1)));
    expect(readSchedule(world, schedule)).toMatchObject({ executionsLeft: 6, proposedExecutions: 1 });
    expect(spent(scene)).toBe(6_000n);
  });

  it('counts another list for each execution that it is promised, and lets one wait above it', () => {
    const scene = small(guarded());
    const { world, schedule, token } = scene;
    const update = (amount: bigint) =>
      must(world.base.send(build.updateRecipients(world, schedule, promiseOf(listOf(token, crowd(1, amount))))));
    update(1_500n);
    expect(spent(scene)).toBe(5_000n);
    update(501n);
    expect(readSchedule(world, schedule)).toMatchObject({ amount: 1_500n, proposedAmount: 501n });
    update(500n);
    expect(readSchedule(world, schedule)).toMatchObject({ amount: 500n, proposedAt: 0n });
    expect(spent(scene)).toBe(6_000n);
  });

  it('is not given back by cancelling, and gone with the policy', () => {
    const scene = small(guarded());
    const { world, vault } = scene;
    must(world.base.send(build.cancelSchedule(scene.schedule)));
    expect(spent(scene)).toBe(2_000n);
    must(world.base.send(build.setApproval(world, vault, REMOVAL)));
    must(world.base.send(build.confirmApproval(vault, REMOVAL)));
    expect(readVault(world, vault)).toMatchObject({ approval: 0, dailyLimit: 0n, spentDay: 0, spentAlone: 0n });
    expect(take(scene, 90_000n)).toBeUndefined();
  });
});
