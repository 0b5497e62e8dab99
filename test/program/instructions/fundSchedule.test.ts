import { MissedWindows, ScheduleStatus } from '@payouts/client';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { FIRST, PAYEES } from '../fixtures/constants.ts';
import { createSchedule, delegateSchedule, fundSchedule, pauseSchedule } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { readSchedule } from '../harness/read.ts';
import { patchSchedule } from '../harness/write.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { scheduled } from './support/scenes.ts';
import { expectWhitelistAsked } from './support/whitelist.ts';
import { complete } from './support/window.ts';

const HOUR = 3_600n;

/** A schedule whose only execution is over; the next would be an hour after it. */
function completed(missed = MissedWindows.CatchUp) {
  const scene = complete(scheduled(PAYEES, { executions: 1, missed }));
  return scene;
}

describe('fund_schedule', () => {
  it('reserves more executions', () => {
    const { scene, changes, events } = effectIn(fundSchedule);
    expect(changes).toEqual({
      vault: { reserved: [31_500n, 52_500n] },
      schedule: { executionsLeft: [3, 5] },
    });
    expect(events).toEqual([{ __kind: 'ScheduleFunded', schedule: scene.schedule.address, executions: 2 }]);
  });

  it('promises all that is available, and not an execution more', () => {
    const scene = done(createSchedule);
    expect(refusal(fundSchedule, scene, build.fundSchedule(scene.schedule, 7))).toBe('InsufficientAvailable');
    const { changes } = effectOf(fundSchedule, scene, build.fundSchedule(scene.schedule, 6));
    expect(changes.vault).toEqual({ reserved: [31_500n, 94_500n] });
  });

  it('funds while a window is open', () => {
    const scene = done(delegateSchedule);
    const { changes } = effectOf(fundSchedule, scene, build.fundSchedule(scene.schedule, 1));
    expect(changes).toEqual({ vault: { reserved: [21_000n, 31_500n] }, schedule: { executionsLeft: [3, 4] } });
  });

  it('leaves a paused schedule paused', () => {
    const scene = done(pauseSchedule);
    const { changes } = effectOf(fundSchedule, scene, build.fundSchedule(scene.schedule, 1));
    expect(changes.schedule).toEqual({ executionsLeft: [3, 4] });
  });

  it('leaves the next execution of an active schedule, though it was missed', () => {
    const scene = done(createSchedule);
    scene.world.setTime(FIRST + 10n * HOUR);
    const { changes } = effectOf(fundSchedule, scene, build.fundSchedule(scene.schedule, 1));
    expect(changes.schedule).toEqual({ executionsLeft: [3, 4] });
  });

  describe('makes a completed schedule active again, next due', () => {
    it('when it would have been, if that is still ahead', () => {
      const scene = completed();
      const { changes } = effectOf(fundSchedule, scene, build.fundSchedule(scene.schedule, 2));
      expect(changes).toEqual({
        vault: { reserved: [0n, 21_000n] },
        schedule: { status: [ScheduleStatus.Completed, ScheduleStatus.Active], executionsLeft: [0, 2] },
      });
      expect(readSchedule(scene.world, scene.schedule).nextExecution).toBe(FIRST + HOUR);
    });

    it.each([
      ['now, if now is a time of its rule', 4n * HOUR, 4n * HOUR],
      ['at the first time of its rule from now on', 4n * HOUR + 1n, 5n * HOUR],
      ['in a second, if that is a time of its rule', 5n * HOUR - 1n, 5n * HOUR],
    ])('%s, whatever its rule for missed windows', (_, now, next) => {
      for (const missed of [MissedWindows.CatchUp, MissedWindows.Skip]) {
        const scene = completed(missed);
        scene.world.setTime(FIRST + now);
        const { changes } = effectOf(fundSchedule, scene, build.fundSchedule(scene.schedule, 1));
        expect(changes.schedule).toMatchObject({ nextExecution: [FIRST + HOUR, FIRST + next] });
      }
    });

    it('and it pays again', () => {
      const scene = completed();
      must(scene.world.base.send(build.fundSchedule(scene.schedule, 1)));
      complete(scene);
      expect(readSchedule(scene.world, scene.schedule)).toMatchObject({
        status: ScheduleStatus.Completed,
        window: 2n,
        paidTotal: 21_000n,
      });
    });
  });

  it('refuses nothing, and a cancelled schedule', () => {
    const scene = done(createSchedule);
    const { world, schedule } = scene;
    expect(refusal(fundSchedule, scene, build.fundSchedule(schedule, 0))).toBe('InvalidSchedule');
    must(world.base.send(build.cancelSchedule(schedule)));
    expect(refusal(fundSchedule, scene, build.fundSchedule(schedule, 1))).toBe('ScheduleEnded');
  });

  it('refuses a promise that is no number', () => {
    const { scene, instruction } = fundSchedule.prepare();
    patchSchedule(scene.world, scene.schedule, { amount: 2n ** 63n });
    expect(refusal(fundSchedule, scene, instruction)).toBe('Overflow');
    patchSchedule(scene.world, scene.schedule, { amount: 1n, executionsLeft: 2 ** 32 - 2 });
    expect(refusal(fundSchedule, scene, instruction)).toBe('Overflow');
    patchSchedule(scene.world, scene.schedule, { executionsLeft: 2 ** 32 - 3 });
    effectOf(fundSchedule, scene, instruction);
  });

  it('asks for the employer’s whitelist entry, if the config does', () => {
    expectWhitelistAsked(fundSchedule, 'employer', ({ vault }) => vault.employer);
  });

  it('asks for the mint’s, if the config does', () => {
    expectWhitelistAsked(fundSchedule, 'mint', ({ token }) => token.mint);
  });
});
