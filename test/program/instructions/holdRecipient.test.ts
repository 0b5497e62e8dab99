import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { HELD, PAYEES } from '../fixtures/constants.ts';
import { createSchedule, delegateSchedule, holdRecipient, pauseSchedule, promiseOf } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { listOf } from '../harness/list.ts';
import { readBatch, readSchedule } from '../harness/read.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { held, PLACES } from './support/held.ts';
import { crowd, endings, scheduled } from './support/scenes.ts';
import { complete, finish, open } from './support/window.ts';

describe('hold_recipient', () => {
  it('notes the index, and changes nothing else', () => {
    const { scene, changes, events } = effectIn(holdRecipient);
    expect(changes).toEqual({ schedule: { heldCount: [0, 1], held: [held(), held(HELD)], holds: [0, 1] } });
    expect(events).toEqual([{ __kind: 'RecipientHeld', schedule: scene.schedule.address, index: HELD }]);
  });

  it('holds 32, and no 33rd', () => {
    const scene = scheduled(crowd(34, 10n));
    const { world, schedule } = scene;
    const indexes = Array.from({ length: PLACES }, (_, place) => 33 - place);
    for (const index of indexes) must(world.base.send(build.holdRecipient(world, schedule, index)));
    expect(readSchedule(world, schedule)).toMatchObject({ heldCount: PLACES, held: indexes });
    expect(refusal(holdRecipient, scene, build.holdRecipient(world, schedule, 0))).toBe('TooManyHeld');
    complete(scene);
    expect(readSchedule(world, schedule)).toMatchObject({ lastPaidCount: 2, lastPaidAmount: 20n, heldCount: PLACES });
  });

  it('holds index 0 and the last', () => {
    const scene = done(createSchedule);
    effectOf(holdRecipient, scene, build.holdRecipient(scene.world, scene.schedule, 0));
    const { changes } = effectOf(holdRecipient, scene, build.holdRecipient(scene.world, scene.schedule, 4));
    expect(changes.schedule).toEqual({ heldCount: [1, 2], held: [held(0), held(0, 4)], holds: [1, 2] });
  });

  it('counts from the next window on, and in every one from then', () => {
    const scene = done(delegateSchedule);
    const { world, schedule } = scene;
    effectOf(holdRecipient, scene, build.holdRecipient(world, schedule, HELD));
    expect(readBatch(world, schedule)).toMatchObject({ heldCount: 0, held: Array(32).fill(0) });
    finish(scene);
    expect(readSchedule(world, schedule)).toMatchObject({ lastPaidCount: 5, lastPaidAmount: 10_500n });
    for (const paidTotal of [18_000n, 25_500n]) {
      open(scene);
      expect(readBatch(world, schedule)).toMatchObject({ heldCount: 1, held: [HELD, ...Array(31).fill(0)] });
      finish(scene);
      expect(readSchedule(world, schedule)).toMatchObject({ lastPaidCount: 4, lastPaidAmount: 7_500n, paidTotal });
    }
  });

  it('holds in a paused schedule', () => {
    const scene = done(pauseSchedule);
    effectOf(holdRecipient, scene, build.holdRecipient(scene.world, scene.schedule, HELD));
  });

  it('refuses who is held already, who is not in the list, and somebody else', () => {
    const scene = done(holdRecipient);
    const { world, schedule } = scene;
    expect(refusal(holdRecipient, scene, build.holdRecipient(world, schedule, HELD))).toBe('AlreadyHeld');
    for (const index of [5, 2 ** 32 - 1]) {
      expect(refusal(holdRecipient, scene, build.holdRecipient(world, schedule, index))).toBe('InvalidRange');
    }
  });

  it('refuses a list that took the place of the one that was looked at: somebody else is there', () => {
    const { scene, instruction } = holdRecipient.prepare();
    const { world, schedule, token } = scene;
    must(world.base.send(build.updateRecipients(world, schedule, promiseOf(listOf(token, PAYEES.slice(1))))));
    expect(refusal(holdRecipient, scene, instruction)).toBe('WrongRootVersion');
    const { rootVersion } = readSchedule(world, schedule);
    for (const other of [rootVersion - 1, rootVersion + 1, 2 ** 32 - 1]) {
      const hold = build.holdRecipient(world, schedule, HELD, { rootVersion: other });
      expect(refusal(holdRecipient, scene, hold)).toBe('WrongRootVersion');
    }
    effectOf(holdRecipient, scene, build.holdRecipient(world, schedule, HELD, { rootVersion }));
  });

  it('refuses a schedule that has ended', () => {
    for (const scene of endings())
      expect(refusal(holdRecipient, scene, build.holdRecipient(scene.world, scene.schedule, HELD))).toBe(
        'ScheduleEnded',
      );
  });
});
