import { ScheduleStatus } from '@payouts/client';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { FIRST } from '../fixtures/constants.ts';
import { resumeSchedule } from '../fixtures/index.ts';
import { effectIn, effectOf, refusal, refusalOfSecond } from './support/call.ts';
import { endings, scheduled, skipping } from './support/scenes.ts';
import { open } from './support/window.ts';

const HOUR = 3_600n;
const RESUMED = { status: [ScheduleStatus.Paused, ScheduleStatus.Active] };

describe('resume_schedule', () => {
  it('makes the schedule active again', () => {
    const { scene, changes, events } = effectIn(resumeSchedule);
    expect(changes).toEqual({ schedule: RESUMED });
    expect(events).toEqual([{ __kind: 'ScheduleResumed', schedule: scene.schedule.address, nextExecution: FIRST }]);
  });

  it('leaves what was missed to be caught up', () => {
    const scene = scheduled();
    must(scene.world.base.send(build.pauseSchedule(scene.schedule)));
    scene.world.setTime(FIRST + 10n * HOUR);
    const { changes, events } = effectOf(resumeSchedule, scene, build.resumeSchedule(scene.schedule));
    expect(changes).toEqual({ schedule: RESUMED });
    expect(events).toMatchObject([{ nextExecution: FIRST }]);
  });

  it.each([
    ['to the first time after now', 2n * HOUR + 1n, 3n * HOUR],
    ['to now, if now is a time of its rule', 2n * HOUR, 2n * HOUR],
    ['by a second', 2n * HOUR - 1n, 2n * HOUR],
  ])('skips what was missed, if that is the schedule’s rule, %s', (_, now, next) => {
    const scene = skipping();
    must(scene.world.base.send(build.pauseSchedule(scene.schedule)));
    scene.world.setTime(FIRST + now);
    const { changes, events } = effectOf(resumeSchedule, scene, build.resumeSchedule(scene.schedule));
    expect(changes).toEqual({ schedule: { ...RESUMED, nextExecution: [FIRST, FIRST + next] } });
    expect(events).toMatchObject([{ nextExecution: FIRST + next }]);
  });

  it.each([0n, -10n])('skips nothing when nothing was missed: resumed %i s from the time', (offset) => {
    const scene = skipping();
    must(scene.world.base.send(build.pauseSchedule(scene.schedule)));
    scene.world.setTime(FIRST + offset);
    expect(effectOf(resumeSchedule, scene, build.resumeSchedule(scene.schedule)).changes).toEqual({
      schedule: RESUMED,
    });
  });

  it('leaves the time of an open window until it is settled', () => {
    const scene = open(skipping());
    must(scene.world.base.send(build.pauseSchedule(scene.schedule)));
    scene.world.setTime(FIRST + 10n * HOUR);
    const { changes, events } = effectOf(resumeSchedule, scene, build.resumeSchedule(scene.schedule));
    expect(changes).toEqual({ schedule: RESUMED });
    expect(events).toMatchObject([{ nextExecution: FIRST }]);
  });

  it('refuses a schedule that is not paused', () => {
    expect(refusalOfSecond(resumeSchedule)).toBe('ScheduleNotPaused');
  });

  it('refuses a schedule that has ended', () => {
    for (const scene of endings())
      expect(refusal(resumeSchedule, scene, build.resumeSchedule(scene.schedule))).toBe('ScheduleNotPaused');
  });
});
