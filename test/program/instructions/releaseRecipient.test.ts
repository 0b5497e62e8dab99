import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { HELD, PAYEES } from '../fixtures/constants.ts';
import { holdRecipient, promiseOf, releaseRecipient } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { listOf } from '../harness/list.ts';
import { readBatch, readSchedule } from '../harness/read.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { held } from './support/held.ts';
import { endings, holding } from './support/scenes.ts';
import { complete, finish, open } from './support/window.ts';

describe('release_recipient', () => {
  it('forgets the index, and changes nothing else', () => {
    const { scene, changes, events } = effectIn(releaseRecipient);
    expect(changes).toEqual({ schedule: { heldCount: [1, 0], held: [held(HELD), held()], holds: [1, 2] } });
    expect(events).toEqual([{ __kind: 'RecipientReleased', schedule: scene.schedule.address, index: HELD }]);
  });

  it('keeps the others, from whichever place it takes one', () => {
    const scene = holding(4, 1, 3);
    const first = effectOf(releaseRecipient, scene, build.releaseRecipient(scene.world, scene.schedule, 4));
    expect(first.changes.schedule).toEqual({ heldCount: [3, 2], held: [held(4, 1, 3), held(3, 1)], holds: [3, 4] });
    const last = effectOf(releaseRecipient, scene, build.releaseRecipient(scene.world, scene.schedule, 1));
    expect(last.changes.schedule).toEqual({ heldCount: [2, 1], held: [held(3, 1), held(3)], holds: [4, 5] });
  });

  it('counts from the next window on', () => {
    const scene = open(holding(HELD));
    const { world, schedule } = scene;
    effectOf(releaseRecipient, scene, build.releaseRecipient(world, schedule, HELD));
    expect(readBatch(world, schedule)).toMatchObject({ heldCount: 1, held: [HELD, ...Array(31).fill(0)] });
    finish(scene);
    expect(readSchedule(world, schedule)).toMatchObject({ lastPaidCount: 4, lastPaidAmount: 7_500n });
    complete(scene);
    expect(readSchedule(world, schedule)).toMatchObject({ lastPaidCount: 5, lastPaidAmount: 10_500n });
  });

  it('refuses who is not held', () => {
    const scene = done(holdRecipient);
    const { world, schedule } = scene;
    // Index 0 is what free places hold.
    for (const index of [0, 3, 5, 2 ** 32 - 1]) {
      expect(refusal(releaseRecipient, scene, build.releaseRecipient(world, schedule, index))).toBe('NotHeld');
    }
    effectOf(releaseRecipient, scene, build.releaseRecipient(world, schedule, HELD));
    expect(refusal(releaseRecipient, scene, build.releaseRecipient(world, schedule, HELD))).toBe('NotHeld');
  });

  it('refuses a list that took the place of the one that was looked at: somebody else is held there', () => {
    const { scene, instruction } = releaseRecipient.prepare();
    const { world, schedule, token } = scene;
    must(world.base.send(build.updateRecipients(world, schedule, promiseOf(listOf(token, PAYEES.slice(1))))));
    must(world.base.send(build.holdRecipient(world, schedule, HELD)));
    expect(refusal(releaseRecipient, scene, instruction)).toBe('WrongRootVersion');
    const { rootVersion } = readSchedule(world, schedule);
    for (const other of [rootVersion - 1, rootVersion + 1, 2 ** 32 - 1]) {
      const release = build.releaseRecipient(world, schedule, HELD, { rootVersion: other });
      expect(refusal(releaseRecipient, scene, release)).toBe('WrongRootVersion');
    }
    effectOf(releaseRecipient, scene, build.releaseRecipient(world, schedule, HELD, { rootVersion }));
  });

  it('refuses a schedule that has ended', () => {
    for (const scene of endings()) {
      expect(refusal(releaseRecipient, scene, build.releaseRecipient(scene.world, scene.schedule, HELD))).toBe(
        'ScheduleEnded',
      );
    }
  });
});
