import { MissedWindows, ScheduleStatus } from '@payouts/client';
import { must, START } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { FIRST, HOUR, LIMIT } from '../fixtures/constants.ts';
import { approveSchedule, awaiting, promiseOf, type ScheduleScene, setApproval } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { listOf } from '../harness/list.ts';
import { readSchedule, readVault } from '../harness/read.ts';
import { effectIn, effectOf, refusal, refusalOfSecond } from './support/call.ts';
import { held } from './support/held.ts';
import { addSchedule, crowd } from './support/scenes.ts';
import { complete, finish, open } from './support/window.ts';

const DAY = 86_400n;

/** The same promise to other people: the fraud that a limit on amounts does not see. */
const others = ({ token }: ScheduleScene) => listOf(token, crowd(5, 2_100n));
const update = (scene: ScheduleScene, list = others(scene)) =>
  build.updateRecipients(scene.world, scene.schedule, promiseOf(list));
const approval = ({ world, schedule }: ScheduleScene, change = {}, by?: Parameters<typeof build.approveSchedule>[3]) =>
  build.approveSchedule(world, schedule, { ...build.proposedTerms(readSchedule(world, schedule)), ...change }, by);

describe('approve_schedule', () => {
  it('lets a schedule begin that was created above the limit', () => {
    const { scene, changes, events } = effectIn(approveSchedule);
    expect(changes).toEqual({
      schedule: {
        status: [ScheduleStatus.Awaiting, ScheduleStatus.Active],
        proposedAt: [START, 0n],
      },
    });
    expect(events).toEqual([
      {
        __kind: 'ScheduleApproved',
        schedule: scene.schedule.address,
        rootVersion: 0,
        amount: 10_500n,
        recipients: 5,
        executions: 3,
        nextExecution: FIRST,
      },
    ]);
    complete(scene);
  });

  it('is not needed at the limit, to the base unit', () => {
    const guarded = done(setApproval);
    const at = addSchedule(guarded, 1n, crowd(1, LIMIT));
    const above = addSchedule(guarded, 2n, crowd(1, LIMIT + 1n));
    expect(readSchedule(at.world, at.schedule).status).toBe(ScheduleStatus.Active);
    expect(readSchedule(at.world, above.schedule).status).toBe(ScheduleStatus.Awaiting);
  });

  it('alone opens the way to a window: no other instruction does', () => {
    const scene = awaiting();
    const { world, schedule, vault } = scene;
    expect(readVault(world, vault).reserved).toBe(31_500n);
    world.setTime(FIRST + 1n);
    expect(world.base.send(build.delegateSchedule(world, schedule, 0n)).failure).toBe('ScheduleNotActive');
    expect(world.base.send(build.pauseSchedule(schedule)).failure).toBe('ScheduleNotActive');
    expect(world.base.send(build.resumeSchedule(schedule)).failure).toBe('ScheduleNotPaused');
    // Changed terms wait as the first ones did, also those that would need no approval.
    must(world.base.send(build.fundSchedule(schedule, 1)));
    must(world.base.send(update(scene, listOf(scene.token, crowd(2, 1n)))));
    expect(readSchedule(world, schedule)).toMatchObject({ status: ScheduleStatus.Awaiting, executionsLeft: 4 });
    expect(world.base.send(build.delegateSchedule(world, schedule, 0n)).failure).toBe('ScheduleNotActive');
  });

  it('lets no windows of the waiting time pile up', () => {
    const scene = awaiting();
    const { world, schedule } = scene;
    world.setTime(FIRST + 10n * BigInt(HOUR) + 1n);
    effectOf(approveSchedule, scene, approval(scene));
    expect(readSchedule(world, schedule)).toMatchObject({
      nextExecution: FIRST + 11n * BigInt(HOUR),
      executionsLeft: 3,
    });
    expect(world.base.send(build.delegateSchedule(world, schedule, 0n)).failure).toBe('NotDue');
  });

  describe('keeps the present list in force until a new one is approved', () => {
    it('also one of the same amount, and pays by it to the end', () => {
      const scene = done(approveSchedule);
      const { world, schedule } = scene;
      const list = others(scene);
      must(world.base.send(update(scene, list)));
      expect(readSchedule(world, schedule)).toMatchObject({ root: scene.list.tree.root, rootVersion: 0 });
      complete(scene);
      const { changes, events } = effectOf(approveSchedule, scene, approval(scene));
      expect(changes.schedule).toMatchObject({ root: [scene.list.tree.root, list.tree.root], rootVersion: [0, 1] });
      expect(changes.vault).toBeUndefined();
      expect(events).toMatchObject([{ __kind: 'ScheduleApproved', rootVersion: 1, executions: 2 }]);
      complete({ ...scene, list });
    });

    it('while a window is open; the reserve follows at the approval', () => {
      const scene = open(done(approveSchedule));
      const { world, schedule } = scene;
      const list = listOf(scene.token, crowd(8, 2_000n));
      const { events } = effectOf(approveSchedule, scene, update(scene, list));
      expect(events).toEqual([
        { __kind: 'ScheduleProposed', schedule: schedule.address, amount: 16_000n, recipients: 8, executions: 3 },
      ]);
      expect(readVault(world, scene.vault).reserved).toBe(21_000n);
      effectOf(approveSchedule, scene, approval(scene));
      expect(readVault(world, scene.vault).reserved).toBe(32_000n);
      finish(scene);
      expect(readSchedule(world, schedule)).toMatchObject({ lastPaidAmount: 10_500n, recipients: 8 });
    });

    it('and needs none for a list below the limit, which puts an end to what waits', () => {
      const scene = done(approveSchedule);
      const { world, schedule } = scene;
      must(world.base.send(update(scene)));
      const small = listOf(scene.token, crowd(2, 10n));
      must(world.base.send(update(scene, small)));
      expect(readSchedule(world, schedule)).toMatchObject({ root: small.tree.root, proposedAt: 0n });
      expect(refusal(approveSchedule, scene, approval(scene))).toBe('NothingProposed');
    });
  });

  it('approves more executions: until then none are promised', () => {
    const scene = done(approveSchedule);
    const { world, schedule, vault } = scene;
    must(world.base.send(build.fundSchedule(schedule, 2)));
    must(world.base.send(build.fundSchedule(schedule, 1)));
    expect(readVault(world, vault).reserved).toBe(31_500n);
    effectOf(approveSchedule, scene, approval(scene));
    expect(readVault(world, vault).reserved).toBe(63_000n);
    expect(readSchedule(world, schedule)).toMatchObject({ executionsLeft: 6, proposedExecutions: 0, rootVersion: 0 });
  });

  it('brings a completed schedule back with more executions, not with a list alone', () => {
    const scene = done(approveSchedule);
    const { world, schedule } = scene;
    must(world.base.send(update(scene)));
    for (let left = 3; left > 0; left -= 1) complete(scene);
    expect(readSchedule(world, schedule).status).toBe(ScheduleStatus.Completed);
    expect(refusal(approveSchedule, scene, approval(scene))).toBe('ScheduleEnded');
    must(world.base.send(build.fundSchedule(schedule, 1)));
    effectOf(approveSchedule, scene, approval(scene));
    expect(readSchedule(world, schedule)).toMatchObject({ status: ScheduleStatus.Active, executionsLeft: 1 });
  });

  describe('holds back whom the list names that was proposed', () => {
    const [present, next] = [[2], [0, 3, 4]];
    const proposed = () => {
      const scene = done(approveSchedule);
      const { world, schedule } = scene;
      for (const index of present) must(world.base.send(build.holdRecipient(world, schedule, index)));
      const list = others(scene);
      must(world.base.send(build.updateRecipients(world, schedule, { ...promiseOf(list), held: next })));
      return { ...scene, list };
    };

    it('and nobody of it before: until then those of the present list are', () => {
      const scene = proposed();
      const { world, schedule } = scene;
      expect(readSchedule(world, schedule)).toMatchObject({ heldCount: 1, proposedHeldCount: 3, proposedHolds: 1 });
      const { events } = effectOf(approveSchedule, scene, approval(scene));
      const after = readSchedule(world, schedule);
      expect(after).toMatchObject({ heldCount: 3, proposedHeldCount: 0, proposedHolds: 0, holds: 4 });
      expect(after.held).toEqual(held(...next));
      expect(events.slice(1)).toMatchObject(next.map((index) => ({ __kind: 'RecipientHeld', index })));
      open(scene);
      expect(readSchedule(world, schedule).windowHeld).toBe(3);
    });

    it.each(['hold', 'release'] as const)('but not past a later %s: the list must be proposed anew', (what) => {
      const scene = proposed();
      const { world, schedule } = scene;
      const change =
        what === 'hold' ? build.holdRecipient(world, schedule, 1) : build.releaseRecipient(world, schedule, 2);
      must(world.base.send(change));
      expect(refusal(approveSchedule, scene, approval(scene))).toBe('HoldsChanged');
      must(world.base.send(build.fundSchedule(schedule, 1)));
      expect(refusal(approveSchedule, scene, approval(scene))).toBe('HoldsChanged');
      must(world.base.send(build.updateRecipients(world, schedule, { ...promiseOf(scene.list), held: next })));
      effectOf(approveSchedule, scene, approval(scene));
      expect(readSchedule(world, schedule).held).toEqual(held(...next));
    });

    it('refuses places out of order, of nobody, and more than both lists have room for', () => {
      const scene = done(approveSchedule);
      const { world, schedule } = scene;
      must(world.base.send(build.holdRecipient(world, schedule, 2)));
      const propose = (places: number[], recipients = 5) =>
        build.updateRecipients(world, schedule, { ...promiseOf(others(scene)), recipients, held: places });
      for (const places of [[3, 1], [1, 1], [5]]) {
        expect(refusal(approveSchedule, scene, propose(places))).toBe('InvalidRange');
      }
      const full = Array.from({ length: 32 }, (_, index) => index);
      expect(refusal(approveSchedule, scene, propose(full, 40))).toBe('TooManyHeld');
      effectOf(approveSchedule, scene, propose(full.slice(1), 40));
    });
  });

  describe('refuses what was put in the place of what the approver saw', () => {
    const scene = awaiting();
    it.each([
      ['root', { root: new Uint8Array(32).fill(7) }],
      ['amount', { amount: 10_499n }],
      ['recipients', { recipients: 4 }],
      ['number of windows', { windows: 4n }],
      ['unit', { unit: 1 }],
      ['every', { every: HOUR - 1 }],
      ['day', { day: 1 }],
      ['nextExecution', { nextExecution: FIRST + 1n }],
      ['next execution, a whole interval later', { nextExecution: FIRST + BigInt(HOUR) }],
      ['next execution in no time at all', { nextExecution: 0n }],
      ['batchTimeout', { batchTimeout: 31 }],
      ['missed', { missed: MissedWindows.Skip }],
      ['held', { held: [0] }],
    ])('another %s', (_, change) => {
      expect(refusal(approveSchedule, scene, approval(scene, change))).toBe('ProposalChanged');
    });

    it('somebody else held back in the same list', () => {
      const started = done(approveSchedule);
      const { world, schedule, token } = started;
      const promise = promiseOf(listOf(token, crowd(5, 2_200n)));
      const propose = (held: number[]) => build.updateRecipients(world, schedule, { ...promise, held });
      must(world.base.send(propose([1, 2])));
      const seen = approval(started);
      for (const held of [[1, 3], [1], []]) {
        must(world.base.send(propose(held)));
        expect(refusal(approveSchedule, started, seen)).toBe('ProposalChanged');
      }
      must(world.base.send(propose([1, 2])));
      effectOf(approveSchedule, started, seen);
    });

    it('a list swapped between look and signature, and executions added', () => {
      const started = done(approveSchedule);
      const { world, schedule } = started;
      must(world.base.send(update(started)));
      const seen = approval(started);
      must(world.base.send(update(started, listOf(started.token, crowd(5, 2_100n).reverse()))));
      expect(refusal(approveSchedule, started, seen)).toBe('ProposalChanged');
      const fresh = approval(started);
      must(world.base.send(build.fundSchedule(schedule, 1)));
      expect(refusal(approveSchedule, started, fresh)).toBe('ProposalChanged');
      effectOf(approveSchedule, started, approval(started));
    });
  });

  it('holds though windows opened and were settled between look and signature', () => {
    const scene = done(approveSchedule);
    const { world, schedule } = scene;
    must(world.base.send(build.fundSchedule(schedule, 2)));
    const seen = approval(scene);
    complete(scene);
    open(scene);
    effectOf(approveSchedule, scene, seen);
    expect(readSchedule(world, schedule)).toMatchObject({ window: 1n, executionsLeft: 4, proposedAt: 0n });
  });

  it('refuses the same approval a second time', () => {
    expect(refusalOfSecond(approveSchedule)).toBe('NothingProposed');
  });

  it('refuses after thirty days, and agrees again once it is proposed again', () => {
    const scene = awaiting();
    const { world } = scene;
    world.setTime(START + 30n * DAY + 1n);
    expect(refusal(approveSchedule, scene, approval(scene))).toBe('ProposalExpired');
    must(world.base.send(update(scene, scene.list)));
    effectOf(approveSchedule, scene, approval(scene));
    const another = awaiting();
    another.world.setTime(START + 30n * DAY);
    effectOf(approveSchedule, another, approval(another));
  });

  it('refuses what was cancelled, and more than is available', () => {
    const scene = awaiting();
    const { world, vault, schedule } = scene;
    effectOf(approveSchedule, scene, approval(scene));
    must(world.base.send(update(scene, listOf(scene.token, crowd(1, 40_000n)))));
    expect(refusal(approveSchedule, scene, approval(scene))).toBe('InsufficientAvailable');
    must(world.base.send(build.cancelSchedule(schedule)));
    expect(refusal(approveSchedule, scene, approval(scene))).toBe('NothingProposed');
    expect(world.base.send(build.withdraw(vault, 100_000n)).failure).toBe('ApprovalRequired');
  });
});
