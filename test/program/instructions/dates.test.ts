import { CalendarUnit, calendarFromLedger, MissedWindows, NO_DATE, ScheduleStatus, timeOfDate } from '@payouts/client';
import { must, START } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { APPROVER, LIMITS } from '../fixtures/constants.ts';
import {
  approveSchedule,
  createSchedule,
  deposit,
  fundSchedule,
  rejectSchedule,
  type ScheduleScene,
  termsOf,
} from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { readSchedule } from '../harness/read.ts';
import { effectOf, refusal } from './support/call.ts';
import { addSchedule } from './support/scenes.ts';
import { complete, open, payAndEnd, settlement } from './support/window.ts';

/** Minutes since 1970. */
const FIRST_DATE = Number(START / 60n) + 1;
const DAY = 1_440;
const days = (...numbers: readonly number[]) => numbers.map((day) => FIRST_DATE + day * DAY);
const time = (day: number) => timeOfDate(FIRST_DATE + day * DAY);
const BY_DATES = { unit: CalendarUnit.Dates, every: 0, day: 0, firstExecution: time(0) };

/** A schedule of so many windows that is paid on these days. */
function dated(executions: number, dates: number[], change: Partial<ReturnType<typeof termsOf>> = {}): ScheduleScene {
  const { world, token, vault } = done(deposit);
  return addSchedule({ world, token, vault }, 1n, undefined, { ...BY_DATES, executions, dates, ...change });
}

const nextOf = ({ world, schedule }: ScheduleScene) => readSchedule(world, schedule).nextExecution;
const datesOf = ({ world, schedule }: ScheduleScene) => calendarFromLedger(readSchedule(world, schedule)).dates;

describe('a schedule by dates', () => {
  it('is due on each of them, one after the other, and on no other day', () => {
    const scene = dated(3, days(0, 3, 4));
    for (const day of [0, 3, 4]) {
      expect(nextOf(scene)).toBe(time(day));
      complete(scene);
    }
    expect(nextOf(scene)).toBe(NO_DATE);
    expect(readSchedule(scene.world, scene.schedule).status).toBe(ScheduleStatus.Completed);
  });

  it('waits with the windows that have no date until more are named', () => {
    const scene = dated(3, days(0, 3));
    const { world, schedule } = scene;
    complete(complete(scene));
    expect(nextOf(scene)).toBe(NO_DATE);
    world.setTime(time(9));
    expect(world.base.send(build.delegateSchedule(world, schedule, 2n)).failure).toBe('NotDue');
    // Those that are over by now are passed by.
    must(world.base.send(build.fundSchedule(schedule, 0, days(5, 9, 12))));
    expect([nextOf(scene), datesOf(scene)]).toEqual([time(9), [9, 12].map(time)]);
    complete(scene);
  });

  it('passes by what was missed where it skips, and pays it where it catches up', () => {
    for (const [missed, next] of [
      [MissedWindows.Skip, 9],
      [MissedWindows.CatchUp, 3],
    ] as const) {
      const scene = dated(4, days(0, 3, 4, 9), { missed });
      scene.world.setTime(time(5));
      open(scene);
      payAndEnd(scene);
      must(scene.world.base.send(settlement(scene)));
      expect(nextOf(scene)).toBe(time(next));
    }
  });

  it('goes on after its end with the first of new dates that is not over', () => {
    const scene = dated(1, days(0));
    const { world, schedule } = scene;
    complete(scene);
    world.setTime(time(2));
    const { changes } = effectOf(fundSchedule, scene, build.fundSchedule(schedule, 2, days(1, 2, 8)));
    expect(changes.schedule).toMatchObject({ status: [ScheduleStatus.Completed, ScheduleStatus.Active] });
    expect(nextOf(scene)).toBe(time(2));
    complete(scene);
    expect(nextOf(scene)).toBe(time(8));
  });

  it('has 52 dates ahead at the most; those that are over make room', () => {
    const scene = dated(2, days(...Array.from({ length: 52 }, (_, day) => day)));
    const { schedule } = scene;
    expect(refusal(fundSchedule, scene, build.fundSchedule(schedule, 1, days(60)))).toBe('TooManyDates');
    complete(scene);
    effectOf(fundSchedule, scene, build.fundSchedule(schedule, 1, days(60)));
    expect(refusal(fundSchedule, scene, build.fundSchedule(schedule, 1, days(61)))).toBe('TooManyDates');
    expect(datesOf(scene)).toHaveLength(52);
  });

  it.each<[string, Parameters<typeof dated>, string]>([
    ['none', [1, []], 'InvalidCalendar'],
    ['a first one that is not the first execution', [1, days(1, 2)], 'InvalidCalendar'],
    ['the same twice', [2, days(0, 0)], 'InvalidCalendar'],
    ['an earlier one behind a later one', [2, days(0, 4, 3)], 'InvalidCalendar'],
    ['a date after the year 2400', [2, [FIRST_DATE, Number(NO_DATE / 60n)]], 'InvalidCalendar'],
    [
      'two that are closer than the least interval',
      [2, [FIRST_DATE, FIRST_DATE + 1], { batchTimeout: 30 }],
      'IntervalTooShort',
    ],
    ['an interval as well', [2, days(0, 1), { every: 1 }], 'InvalidCalendar'],
    ['a day of the month as well', [2, days(0, 1), { day: 1 }], 'InvalidCalendar'],
    ['dates for a rule', [2, days(0, 1), { unit: CalendarUnit.Days, every: 1 }], 'InvalidCalendar'],
  ])('takes no %s', (_, [executions, dates, change], error) => {
    const { scene } = createSchedule.prepare();
    const terms = { ...termsOf(scene.list), ...BY_DATES, executions, dates, ...change };
    if (error === 'IntervalTooShort') {
      must(scene.world.base.send(build.updateConfig(scene.world, { limits: { ...LIMITS, minInterval: 61 } })));
    }
    expect(refusal(createSchedule, scene, build.createSchedule(scene.world, scene.schedule, terms))).toBe(error);
  });

  it('takes no more that lie before those it has, and a rule takes none', () => {
    const scene = dated(2, days(0, 3));
    const { schedule } = scene;
    for (const dates of [days(3), days(2), days(5, 4)]) {
      expect(refusal(fundSchedule, scene, build.fundSchedule(schedule, 1, dates))).toBe('InvalidCalendar');
    }
    expect(refusal(fundSchedule, scene, build.fundSchedule(schedule, 0))).toBe('InvalidSchedule');
    const ruled = done(createSchedule);
    expect(refusal(fundSchedule, ruled, build.fundSchedule(ruled.schedule, 1, days(9)))).toBe('InvalidCalendar');
  });
});

describe('dates that wait for the approver', () => {
  /** A schedule whose next two windows, and their dates, wait. */
  function waiting(): ScheduleScene {
    const scene = dated(1, days(0));
    const { world, schedule, vault } = scene;
    must(world.base.send(build.setApproval(world, vault, { approver: APPROVER, limit: 1n, dailyLimit: 1n })));
    must(world.base.send(build.fundSchedule(schedule, 2, days(3, 4))));
    return scene;
  }

  it('are none until they agree, and then all that they have seen', () => {
    const scene = waiting();
    const { world, schedule } = scene;
    expect(datesOf(scene)).toEqual([time(0)]);
    complete(scene);
    expect(nextOf(scene)).toBe(NO_DATE);
    const terms = build.proposedTerms(readSchedule(world, schedule));
    for (const dates of [[], days(3), days(4), days(3, 5), days(0, 3, 4), days(3, 4, 5)]) {
      const other = build.approveSchedule(world, schedule, { ...terms, dates });
      expect(refusal(approveSchedule, scene, other)).toBe('ProposalChanged');
    }
    must(world.base.send(build.approveSchedule(world, schedule, terms)));
    expect(nextOf(scene)).toBe(time(3));
    complete(complete(scene));
  });

  it('are forgotten when they refuse, or when the list is replaced', () => {
    const scene = waiting();
    const { world, schedule } = scene;
    effectOf(rejectSchedule, scene, build.rejectSchedule(schedule));
    expect(readSchedule(world, schedule)).toMatchObject({ dateCount: 1, proposedDatesBefore: 0 });
    expect(datesOf(scene)).toEqual([time(0)]);
    must(world.base.send(build.fundSchedule(schedule, 1, days(2))));
    must(world.base.send(build.fundSchedule(schedule, 1, days(5))));
    expect(readSchedule(world, schedule)).toMatchObject({ dateCount: 3, proposedDatesBefore: 2 });
    complete(scene);
    must(world.base.send(build.fundSchedule(schedule, 1, days(6))));
    expect(readSchedule(world, schedule)).toMatchObject({ dateCount: 3, proposedDatesBefore: 1 });
    must(world.base.send(build.approveSchedule(world, schedule)));
    expect(datesOf(scene)).toEqual([2, 5, 6].map(time));
  });
});
