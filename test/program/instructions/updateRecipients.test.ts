import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { PAYEES } from '../fixtures/constants.ts';
import { createSchedule, delegateSchedule, pauseSchedule, promiseOf, updateRecipients } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { listOf } from '../harness/list.ts';
import { readBatch, readSchedule } from '../harness/read.ts';
import { patchSchedule } from '../harness/write.ts';
import { effectOf, refusal } from './support/call.ts';
import { held } from './support/held.ts';
import { configure, crowd, endings, holding, scheduled } from './support/scenes.ts';
import { finish, open, pay } from './support/window.ts';

type Scene = ReturnType<typeof updateRecipients.prepare>['scene'];
type Promised = Parameters<typeof build.updateRecipients>[2];

const update = ({ world, schedule, list }: Scene, change: Partial<Promised> = {}) =>
  build.updateRecipients(world, schedule, { ...promiseOf(list), ...change });

describe('update_recipients', () => {
  it('takes a longer list: the reserve follows, the batch stays as it is', () => {
    const { scene, instruction } = updateRecipients.prepare();
    const { world, schedule, list } = scene;
    const { changes, events } = effectOf(updateRecipients, scene, instruction);
    const newRoot = readSchedule(world, schedule).root;
    expect(newRoot).not.toEqual(list.tree.root);
    expect(changes).toEqual({
      vault: { reserved: [31_500n, 42_000n] },
      schedule: {
        root: [list.tree.root, newRoot],
        amount: [10_500n, 14_000n],
        recipients: [5, 20],
        rootVersion: [0, 1],
        prepaidRecipients: [5, 20],
      },
    });
    expect(events).toEqual([
      { __kind: 'RecipientsUpdated', schedule: schedule.address, rootVersion: 1, amount: 14_000n, recipients: 20 },
    ]);
  });

  it('takes a shorter list: the batch keeps its size, what is no longer promised is available', () => {
    const scene = scheduled(crowd(20, 100n));
    const list = listOf(scene.token, PAYEES.slice(0, 1));
    const call = build.updateRecipients(scene.world, scene.schedule, promiseOf(list));
    const { changes } = effectOf(updateRecipients, scene, call);
    expect(changes).toEqual({
      vault: { reserved: [6_000n, 3_000n] },
      schedule: {
        root: [scene.list.tree.root, list.tree.root],
        amount: [2_000n, 1_000n],
        recipients: [20, 1],
        rootVersion: [0, 1],
        prepaidRecipients: [20, 1],
      },
    });
  });

  it('takes the greatest list there is', () => {
    const scene = done(createSchedule);
    const { changes } = effectOf(updateRecipients, scene, update(scene, { recipients: 1_048_576 }));
    expect(changes.schedule).toMatchObject({ recipients: [5, 1_048_576] });
  });

  it('holds back whom it names in the new list, and nobody else', () => {
    const scene = holding(4, 0);
    const { changes, events } = effectOf(updateRecipients, scene, update(scene, { held: [1, 3, 4] }));
    expect(changes.schedule).toEqual({
      heldCount: [2, 3],
      held: [held(4, 0), held(1, 3, 4)],
      holds: [2, 5],
      rootVersion: [0, 1],
    });
    const { address } = scene.schedule;
    expect(events).toMatchObject([
      { __kind: 'RecipientsUpdated' },
      ...[1, 3, 4].map((index) => ({ __kind: 'RecipientHeld', schedule: address, index })),
    ]);
    const nobody = effectOf(updateRecipients, scene, update(scene));
    expect(nobody.changes.schedule).toEqual({
      heldCount: [3, 0],
      held: [held(1, 3, 4), held()],
      rootVersion: [1, 2],
    });
  });

  it('forgets nobody who was held back or released since the list was made', () => {
    const scene = holding(4);
    const { world, schedule } = scene;
    const [before, released] = [update(scene), update(scene)];
    must(world.base.send(build.holdRecipient(world, schedule, 0)));
    expect(refusal(updateRecipients, scene, before)).toBe('HoldsChanged');
    const between = update(scene);
    must(world.base.send(build.releaseRecipient(world, schedule, 0)));
    for (const stale of [between, released]) expect(refusal(updateRecipients, scene, stale)).toBe('HoldsChanged');
    effectOf(updateRecipients, scene, update(scene));
  });

  it.each<[string, number[], string]>([
    ['nobody of the list', [5], 'InvalidRange'],
    ['one twice', [1, 1], 'AlreadyHeld'],
    ['more than there are places', Array.from({ length: 33 }, (_, index) => index), 'TooManyHeld'],
  ])('holds back no %s', (_, places, error) => {
    const scene = done(createSchedule);
    const recipients = places.length > 5 ? 40 : 5;
    expect(refusal(updateRecipients, scene, update(scene, { held: places, recipients }))).toBe(error);
  });

  it('leaves an open window as it was promised, and counts from the next', () => {
    const scene = done(delegateSchedule);
    const { world, schedule, token } = scene;
    const next = { ...scene, list: listOf(token, crowd(8, 500n)) };
    const { changes } = effectOf(updateRecipients, next, update(next));
    expect(changes).toEqual({
      vault: { reserved: [21_000n, 8_000n] },
      schedule: {
        root: [scene.list.tree.root, next.list.tree.root],
        amount: [10_500n, 4_000n],
        recipients: [5, 8],
        rootVersion: [0, 1],
        prepaidRecipients: [5, 13],
      },
    });
    expect(readBatch(world, schedule)).toMatchObject({ recipients: 5, amount: 10_500n, root: scene.list.tree.root });
    finish(scene);
    expect(readSchedule(world, schedule)).toMatchObject({ lastPaidAmount: 10_500n, windowRootVersion: 0 });
    open(next);
    expect(readSchedule(world, schedule)).toMatchObject({ windowAmount: 4_000n, windowRootVersion: 1 });
    expect(readBatch(world, schedule)).toMatchObject({ recipients: 8, root: next.list.tree.root });
    pay(next);
    expect(readBatch(world, schedule)).toMatchObject({ paidCount: 8, paidAmount: 4_000n });
  });

  it('promises all that is available, and not a base unit more', () => {
    const scene = done(createSchedule);
    expect(refusal(updateRecipients, scene, update(scene, { amount: 33_334n }))).toBe('InsufficientAvailable');
    const { changes } = effectOf(updateRecipients, scene, update(scene, { amount: 33_333n }));
    expect(changes.vault).toEqual({ reserved: [31_500n, 99_999n] });
  });

  it('changes a paused schedule', () => {
    const scene = done(pauseSchedule);
    const { changes } = effectOf(updateRecipients, scene, update(scene, { amount: 1n }));
    expect(changes.vault).toEqual({ reserved: [31_500n, 3n] });
  });

  describe('refuses', () => {
    const scene = done(createSchedule);
    it.each<[string, Partial<Promised>, string]>([
      ['no recipients', { recipients: 0 }, 'TooManyRecipients'],
      ['more recipients than the config allows', { recipients: 1_048_577 }, 'TooManyRecipients'],
      ['an amount of zero', { amount: 0n }, 'ZeroAmount'],
      ['a promise that is no number', { amount: 2n ** 63n }, 'Overflow'],
    ])('%s', (_, change, error) => {
      expect(refusal(updateRecipients, scene, update(scene, change))).toBe(error);
    });
  });

  it('keeps a limit that was lowered after the creation', () => {
    const scene = done(createSchedule);
    configure(scene.world, { maxRecipients: 4 });
    expect(refusal(updateRecipients, scene, update(scene))).toBe('TooManyRecipients');
    effectOf(updateRecipients, scene, update(scene, { recipients: 4 }));
  });

  it('refuses a schedule that has ended', () => {
    for (const scene of endings()) expect(refusal(updateRecipients, scene, update(scene))).toBe('ScheduleEnded');
  });

  it('counts no more lists than there are numbers', () => {
    const scene = done(createSchedule);
    patchSchedule(scene.world, scene.schedule, { rootVersion: 2 ** 32 - 1 });
    expect(refusal(updateRecipients, scene, update(scene))).toBe('Overflow');
  });
});
