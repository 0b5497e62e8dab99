import { ScheduleStatus } from '@payouts/client';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { REMOVAL } from '../fixtures/constants.ts';
import { approveSchedule, awaiting, rejectSchedule } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { readSchedule } from '../harness/read.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';

describe('reject_schedule', () => {
  it('cancels a schedule that was never approved, and frees its reserve', () => {
    const { scene, changes, events } = effectIn(rejectSchedule);
    expect(changes).toEqual({
      vault: { reserved: [31_500n, 0n] },
      schedule: {
        status: [ScheduleStatus.Awaiting, ScheduleStatus.Cancelled],
        executionsLeft: [3, 0],
        proposedAt: [expect.any(BigInt), 0n],
      },
    });
    expect(events).toEqual([{ __kind: 'ScheduleRejected', schedule: scene.schedule.address, released: 31_500n }]);
  });

  it('takes a change away and leaves the schedule as it was approved', () => {
    const scene = done(approveSchedule);
    const { world, schedule } = scene;
    must(world.base.send(build.fundSchedule(schedule, 2)));
    const before = readSchedule(world, schedule);
    const { changes, events } = effectOf(rejectSchedule, scene, build.rejectSchedule(schedule));
    expect(changes).toEqual({ schedule: { proposedAt: [before.proposedAt, 0n], proposedExecutions: [2, 0] } });
    expect(events).toEqual([{ __kind: 'ScheduleRejected', schedule: schedule.address, released: 0n }]);
    expect(refusal(rejectSchedule, scene, build.rejectSchedule(schedule))).toBe('NothingProposed');
    expect(refusal(approveSchedule, scene, build.approveSchedule(world, schedule))).toBe('NothingProposed');
  });

  it('is the employer’s way to take back, also when nobody approves any more', () => {
    const scene = awaiting();
    const { world, vault, schedule } = scene;
    must(world.base.send(build.setApproval(world, vault, REMOVAL)));
    must(world.base.send(build.confirmApproval(vault, REMOVAL)));
    expect(refusal(approveSchedule, scene, build.approveSchedule(world, schedule))).toBe('InvalidAccount');
    effectOf(rejectSchedule, scene, build.rejectSchedule(schedule, vault.employer));
    expect(readSchedule(world, schedule).status).toBe(ScheduleStatus.Cancelled);
  });
});
