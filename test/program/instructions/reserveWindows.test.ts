import { ScheduleStatus } from '@payouts/client';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { FIRST, HOUR, LONGER, PAYEES, POLICY } from '../fixtures/constants.ts';
import {
  approveSchedule,
  awaiting,
  createSchedule,
  delegateSchedule,
  deposit,
  guard,
  promiseOf,
  reserveWindows,
  type ScheduleScene,
  termsOf,
  wanting,
} from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { listOf } from '../harness/list.ts';
import { readSchedule, readVault } from '../harness/read.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { addSchedule, scheduled } from './support/scenes.ts';
import { complete, finish, open } from './support/window.ts';

/** What one window pays. */
const EACH = 10_500n;
const [KEPT, PREPAID] = [2, 6];

/** A schedule without an end, in a vault that holds so many windows' money. */
function endless(windows: number, { kept = KEPT, executions = PREPAID } = {}): ScheduleScene {
  const scene = scheduled(PAYEES, { executions, kept });
  const { world, vault } = scene;
  must(world.base.send(build.withdraw(vault, 100_000n - EACH * BigInt(windows))));
  return scene;
}

const standsOf = ({ world, schedule, vault }: ScheduleScene) => {
  const { executionsLeft, keptReserved, status, window } = readSchedule(world, schedule);
  const { reserved, open, deposited, withdrawn, paid } = readVault(world, vault);
  const available = deposited - withdrawn - paid - reserved - open;
  return { executionsLeft, keptReserved, status, window, reserved, available };
};

describe('a schedule without an end', () => {
  it('reserves what it keeps and not all that is prepaid', () => {
    const { scene } = createSchedule.prepare();
    const call = build.createSchedule(scene.world, scene.schedule, { ...termsOf(scene.list), executions: 9, kept: 3 });
    const { changes, events } = effectOf(createSchedule, scene, call);
    expect(changes.vault).toMatchObject({ reserved: [0n, 3n * EACH] });
    expect(changes.schedule).toMatchObject({ executionsLeft: 9, kept: 3, keptReserved: 3 });
    expect(events).toEqual([
      { __kind: 'ScheduleCreated', schedule: scene.schedule.address, amount: EACH, recipients: 5, executions: 9 },
      { __kind: 'WindowsReserved', schedule: scene.schedule.address, windows: 3 },
    ]);
  });

  it('does not begin with less than it keeps, and keeps no more than is prepaid', () => {
    const { scene } = createSchedule.prepare();
    const call = (executions: number, kept: number) =>
      build.createSchedule(scene.world, scene.schedule, { ...termsOf(scene.list), executions, kept });
    expect(refusal(createSchedule, scene, call(255, 10))).toBe('InsufficientAvailable');
    expect(refusal(createSchedule, scene, call(0, 3))).toBe('InvalidSchedule');
    const { changes } = effectOf(createSchedule, scene, call(2, 255));
    expect(changes.schedule).toMatchObject({ kept: 255, keptReserved: 2 });
  });

  it('reserves the next window in the step in which one’s budget leaves', () => {
    const scene = endless(3);
    open(scene);
    expect(standsOf(scene)).toMatchObject({ keptReserved: KEPT, reserved: 2n * EACH, available: 0n });
    finish(scene);
    expect(standsOf(scene)).toMatchObject({ executionsLeft: PREPAID - 1, window: 1n, reserved: 2n * EACH });
  });

  it('pays what is reserved, waits when nothing is left, goes on with money, and never completes', () => {
    const scene = endless(2);
    const { world, schedule, vault } = scene;
    complete(scene);
    complete(scene);
    expect(standsOf(scene)).toMatchObject({ keptReserved: 0, reserved: 0n, available: 0n });
    world.setTime(FIRST + 10n * BigInt(HOUR));
    const opening = () => build.delegateSchedule(world, schedule, 2n);
    must(world.base.send(build.deposit(vault, EACH - 1n)));
    expect(refusal(delegateSchedule, scene, opening())).toBe('InsufficientReserve');
    must(world.base.send(build.deposit(vault, 1n)));
    complete(scene);
    must(world.base.send(build.deposit(vault, 9n * EACH)));
    for (let window = 3; window < PREPAID; window++) complete(scene);
    // The money is there, and no fees are: nothing is promised for which nobody pays.
    expect(standsOf(scene)).toEqual({
      executionsLeft: 0,
      keptReserved: 0,
      status: ScheduleStatus.Active,
      window: BigInt(PREPAID),
      reserved: 0n,
      available: 6n * EACH,
    });
    world.setTime(world.now + 10n * BigInt(HOUR));
    const further = build.delegateSchedule(world, schedule, BigInt(PREPAID));
    expect(refusal(delegateSchedule, scene, further)).toBe('InsufficientReserve');
    must(world.base.send(build.fundSchedule(schedule, 1)));
    complete(scene);
    expect(standsOf(scene)).toMatchObject({ status: ScheduleStatus.Active, window: BigInt(PREPAID) + 1n });
  });

  it('gives back on its end what is reserved for windows that have not opened', () => {
    const scene = open(endless(3));
    must(scene.world.base.send(build.cancelSchedule(scene.schedule)));
    expect(standsOf(scene)).toMatchObject({ executionsLeft: 1, keptReserved: 0, reserved: 0n, available: 2n * EACH });
    finish(scene);
    expect(standsOf(scene)).toMatchObject({ executionsLeft: 0, status: ScheduleStatus.Cancelled });
    expect(refusal(reserveWindows, scene, build.reserveWindows(scene.schedule))).toBe('ScheduleNotActive');
    must(scene.world.base.send(build.closeSchedule(scene.world, scene.schedule)));
  });

  it('reserves for another list as far as the vault covers it', () => {
    const scene = endless(2);
    const { world, schedule, token } = scene;
    must(world.base.send(build.updateRecipients(world, schedule, promiseOf(listOf(token, LONGER)))));
    expect(standsOf(scene)).toMatchObject({ keptReserved: 1, reserved: 14_000n, available: 7_000n });
  });

  it('takes turns with another schedule of its vault: who comes first is reserved for', () => {
    const one = endless(5);
    const other = addSchedule(one, 2n, PAYEES, { executions: PREPAID, kept: KEPT });
    open(one);
    expect(standsOf(one)).toMatchObject({ keptReserved: 2, available: 0n });
    open(other);
    expect(standsOf(other)).toMatchObject({ keptReserved: 1, available: 0n });
    must(one.world.base.send(build.deposit(one.vault, EACH)));
    must(one.world.base.send(build.reserveWindows(other.schedule)));
    expect(standsOf(one)).toMatchObject({ keptReserved: 2, available: 0n });
  });

  it('counts all that is prepaid against the limits, and the approver names what it keeps', () => {
    const scene = guard(done(deposit), { ...POLICY, limit: EACH, dailyLimit: EACH * 5n });
    const small = addSchedule(scene, 1n, PAYEES, { executions: 5, kept: KEPT });
    expect(standsOf(small)).toMatchObject({ status: ScheduleStatus.Active, keptReserved: KEPT });
    // Kept are two windows, promised is one more than on any day.
    const large = addSchedule(scene, 2n, PAYEES, { executions: 6, kept: KEPT });
    expect(standsOf(large)).toMatchObject({ status: ScheduleStatus.Awaiting, keptReserved: KEPT });
    const terms = build.proposedTerms(readSchedule(large.world, large.schedule));
    for (const kept of [0, KEPT - 1, KEPT + 1]) {
      const other = build.approveSchedule(large.world, large.schedule, { ...terms, kept });
      expect(refusal(approveSchedule, large, other)).toBe('ProposalChanged');
    }
    effectOf(approveSchedule, large, build.approveSchedule(large.world, large.schedule));
    expect(standsOf(large)).toMatchObject({ status: ScheduleStatus.Active, keptReserved: KEPT, executionsLeft: 6 });
  });

  it('adds windows that the approver agreed to, and reserves none of them beyond what it keeps', () => {
    const scene = guard(done(deposit), { ...POLICY, limit: EACH, dailyLimit: EACH * 5n });
    const own = addSchedule(scene, 1n, PAYEES, { executions: 1, kept: KEPT });
    must(own.world.base.send(build.fundSchedule(own.schedule, 5)));
    expect(standsOf(own)).toMatchObject({ executionsLeft: 1, keptReserved: 1 });
    must(own.world.base.send(build.approveSchedule(own.world, own.schedule)));
    expect(standsOf(own)).toMatchObject({ executionsLeft: 6, keptReserved: KEPT, reserved: BigInt(KEPT) * EACH });
  });
});

describe('reserve_windows', () => {
  it('refills what a schedule keeps, with nobody’s signature', () => {
    const { scene, changes, events } = effectIn(reserveWindows);
    expect(changes).toEqual({
      vault: { reserved: [28_000n, 42_000n] },
      schedule: { keptReserved: [2, 3] },
    });
    expect(events).toEqual([{ __kind: 'WindowsReserved', schedule: scene.schedule.address, windows: 1 }]);
    expect(build.reserveWindows(scene.schedule).accounts).toHaveLength(2);
  });

  it('takes no more than is kept, however often it is sent, and nothing that is not there', () => {
    const scene = wanting();
    const { world, schedule, vault } = scene;
    must(world.base.send(build.deposit(vault, 500_000n)));
    must(world.base.send(build.reserveWindows(schedule)));
    expect(refusal(reserveWindows, scene, build.reserveWindows(schedule))).toBe('NothingToReserve');
    expect(standsOf(scene)).toMatchObject({ keptReserved: 3, reserved: 42_000n, available: 503_500n });
  });

  it('leaves the employer what is available', () => {
    const scene = wanting();
    const { world, schedule, vault } = scene;
    const { available } = standsOf(scene);
    must(world.base.send(build.withdraw(vault, available)));
    expect(refusal(reserveWindows, scene, build.reserveWindows(schedule))).toBe('NothingToReserve');
  });

  it('refuses a schedule that has an end, that is paused, that waits for its approver', () => {
    const ending = done(createSchedule);
    expect(refusal(reserveWindows, ending, build.reserveWindows(ending.schedule))).toBe('NothingToReserve');
    const paused = wanting();
    must(paused.world.base.send(build.pauseSchedule(paused.schedule)));
    expect(refusal(reserveWindows, paused, build.reserveWindows(paused.schedule))).toBe('ScheduleNotActive');
    const waiting = awaiting();
    expect(refusal(reserveWindows, waiting, build.reserveWindows(waiting.schedule))).toBe('ScheduleNotActive');
  });
});
