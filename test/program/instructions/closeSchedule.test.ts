import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { PAYEES } from '../fixtures/constants.ts';
import {
  closeSchedule,
  createSchedule,
  delegateSchedule,
  pauseSchedule,
  reclaimWindow,
  settle,
  termsOf,
} from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { liabilitiesNow } from '../harness/read.ts';
import { patchVault } from '../harness/write.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { lost, recordTree } from './support/loss.ts';
import { addSchedule, scheduled } from './support/scenes.ts';
import { complete, pay, payAndEnd, settlement } from './support/window.ts';

describe('close_schedule', () => {
  it('takes both accounts away and gives their lamports to the employer', () => {
    const { scene, changes, events } = effectIn(closeSchedule);
    const { base } = scene.world;
    expect(changes).toEqual({
      employer: { lamports: base.minimumBalance(720) + base.minimumBalance(320) },
      vault: { schedules: [1, 0] },
      schedule: { removed: true },
      batch: { removed: true },
    });
    expect(events).toEqual([{ __kind: 'ScheduleClosed', schedule: scene.schedule.address }]);
  });

  it('closes a completed schedule, with the lamports that its batch did not need', () => {
    const scene = complete(scheduled(PAYEES, { executions: 1 }));
    const { base } = scene.world;
    const lamports = [scene.schedule.address, scene.schedule.batch].map((at) => base.account(at)?.lamports ?? 0n);
    const { changes } = effectOf(closeSchedule, scene, build.closeSchedule(scene.world, scene.schedule));
    expect(changes.employer).toEqual({ lamports: (lamports[0] ?? 0n) + (lamports[1] ?? 0n) });
    expect(changes).toMatchObject({ schedule: { removed: true }, batch: { removed: true } });
  });

  it('never lets the id be used again', () => {
    const scene = done(closeSchedule);
    const { world, schedule, list } = scene;
    const again = build.createSchedule(world, schedule, termsOf(list));
    expect(refusal(createSchedule, scene, again)).toBe('IdNotNew');
    addSchedule(scene, 2n);
  });

  it.each([
    ['active', createSchedule],
    ['paused', pauseSchedule],
  ])('refuses a schedule that is %s', (_, fixture) => {
    const scene = done(fixture);
    expect(refusal(closeSchedule, scene, build.closeSchedule(scene.world, scene.schedule))).toBe('ScheduleNotEnded');
  });

  it('refuses a cancelled schedule until its open window is settled', () => {
    const scene = done(delegateSchedule);
    const { world, schedule } = scene;
    must(world.base.send(build.cancelSchedule(schedule)));
    const call = build.closeSchedule(world, schedule);
    expect(refusal(closeSchedule, scene, call)).toBe('ScheduleNotEnded');
    payAndEnd(scene);
    expect(refusal(closeSchedule, scene, call)).toBe('ScheduleNotEnded');
    must(world.base.send(settlement(scene)));
    effectOf(closeSchedule, scene, call);
  });

  it('closes a reclaimed schedule whose batch never came back, and then its vault', () => {
    const scene = done(reclaimWindow);
    const { world, schedule, vault } = scene;
    const { changes } = effectOf(closeSchedule, scene, build.closeSchedule(world, schedule));
    expect(changes).toEqual({
      employer: { lamports: world.base.minimumBalance(720) },
      vault: { schedules: [1, 0] },
      schedule: { removed: true },
    });
    must(world.base.send(build.closeVault(vault)));
  });

  it('closes a reclaimed schedule whose batch came back without bytes', () => {
    const scene = done(delegateSchedule);
    const { world, schedule } = scene;
    pay(scene);
    must(world.sendToLayer(build.commit(world, schedule, 0n)));
    const tree = liabilitiesNow(world, scene.list.holders, [schedule]);
    recordTree(scene, tree);
    const call = settlement(scene);
    must(world.bringBack(schedule.batch, new Uint8Array(0)));
    expect(refusal(settle, scene, call)).toBe('InvalidAccount');
    lost(scene, tree);
    must(world.base.send(build.reclaimWindow(schedule, tree.window(schedule.address))));
    const { changes } = effectOf(closeSchedule, scene, build.closeSchedule(world, schedule));
    expect(changes).toMatchObject({
      vault: { schedules: [1, 0] },
      schedule: { removed: true },
      batch: { removed: true },
    });
  });

  it('refuses another schedule’s batch', () => {
    const { scene } = closeSchedule.prepare();
    const { schedule } = scene;
    const other = addSchedule(scene, 2n);
    const swapped = build.closeSchedule(scene.world, { ...schedule, batch: other.schedule.batch });
    expect(refusal(closeSchedule, scene, swapped)).toBe('InvalidAddress');
  });

  it('refuses when the vault counts no schedule, which its own rule excludes', () => {
    const { scene, instruction } = closeSchedule.prepare();
    patchVault(scene.world, scene.vault, { schedules: 0 });
    expect(refusal(closeSchedule, scene, instruction)).toBe('Overflow');
  });
});
