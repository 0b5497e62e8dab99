import { ScheduleStatus } from '@payouts/client';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { createSchedule, delegateSchedule, pauseSchedule } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { endings } from './support/scenes.ts';

describe('pause_schedule', () => {
  it.each([
    ['idle', createSchedule],
    ['with an open window', delegateSchedule],
  ])('changes the status of a schedule that is %s, and nothing else', (_, fixture) => {
    const scene = done(fixture);
    const { changes, events } = effectOf(pauseSchedule, scene, build.pauseSchedule(scene.schedule));
    expect(changes).toEqual({ schedule: { status: [ScheduleStatus.Active, ScheduleStatus.Paused] } });
    expect(events).toEqual([{ __kind: 'SchedulePaused', schedule: scene.schedule.address }]);
  });

  it('refuses a schedule that is paused already', () => {
    const { scene } = effectIn(pauseSchedule);
    expect(refusal(pauseSchedule, scene, build.pauseSchedule(scene.schedule))).toBe('ScheduleNotActive');
  });

  it('refuses a schedule that has ended', () => {
    for (const ended of endings()) {
      expect(refusal(pauseSchedule, ended, build.pauseSchedule(ended.schedule))).toBe('ScheduleNotActive');
    }
  });
});
