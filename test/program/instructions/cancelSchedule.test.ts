import { ScheduleStatus } from '@payouts/client';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { cancelSchedule, delegateSchedule, pauseSchedule } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { readSchedule, readVault } from '../harness/read.ts';
import { patchVault } from '../harness/write.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { endings } from './support/scenes.ts';
import { finish } from './support/window.ts';

describe('cancel_schedule', () => {
  it('makes the whole reserve available at once', () => {
    const { scene, changes, events } = effectIn(cancelSchedule);
    const { world, vault, schedule } = scene;
    expect(changes).toEqual({
      vault: { reserved: [31_500n, 0n] },
      schedule: { status: [ScheduleStatus.Active, ScheduleStatus.Cancelled], executionsLeft: [3, 0] },
    });
    expect(events).toEqual([{ __kind: 'ScheduleCancelled', schedule: schedule.address, released: 31_500n }]);
    must(world.base.send(build.withdraw(vault, 100_000n)));
  });

  it('cancels a paused schedule', () => {
    const scene = done(pauseSchedule);
    const { changes } = effectOf(cancelSchedule, scene, build.cancelSchedule(scene.schedule));
    expect(changes.schedule).toEqual({
      status: [ScheduleStatus.Paused, ScheduleStatus.Cancelled],
      executionsLeft: [3, 0],
    });
  });

  it('leaves an open window to end as usual', () => {
    const scene = done(delegateSchedule);
    const { world, schedule, vault } = scene;
    const { changes, events } = effectOf(cancelSchedule, scene, build.cancelSchedule(schedule));
    expect(changes).toEqual({
      vault: { reserved: [21_000n, 0n] },
      schedule: { status: [ScheduleStatus.Active, ScheduleStatus.Cancelled], executionsLeft: [3, 1] },
    });
    expect(events).toMatchObject([{ released: 21_000n }]);
    finish(scene);
    expect(readSchedule(world, schedule)).toMatchObject({
      status: ScheduleStatus.Cancelled,
      executionsLeft: 0,
      window: 1n,
      lastPaidAmount: 10_500n,
    });
    expect(readVault(world, vault)).toMatchObject({ reserved: 0n, open: 0n, paid: 10_500n });
    expect(world.base.tokens(vault.tokenAccount)).toBe(89_500n);
  });

  it('refuses a schedule that has ended', () => {
    for (const ended of endings()) {
      expect(refusal(cancelSchedule, ended, build.cancelSchedule(ended.schedule))).toBe('ScheduleEnded');
    }
  });

  it('refuses when the vault’s reserve is less than the schedule’s, which its own rule excludes', () => {
    const { scene, instruction } = cancelSchedule.prepare();
    patchVault(scene.world, scene.vault, { reserved: 31_499n });
    expect(refusal(cancelSchedule, scene, instruction)).toBe('Overflow');
  });
});
