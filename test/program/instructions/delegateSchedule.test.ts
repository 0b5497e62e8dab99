import { BatchPhase, DELEGATION_PROGRAM_ADDRESS, SchedulePhase } from '@payouts/client';
import { bytesOf } from '@payouts/testing/litesvm/addresses';
import { bitmapPageOf } from '@payouts/testing/litesvm/handles';
import { LEDGER_PROGRAM } from '@payouts/testing/litesvm/programs';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { DAY, FIRST, HOUR, PAYEES } from '../fixtures/constants.ts';
import { createSchedule, delegateSchedule, promiseOf } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { listOf } from '../harness/list.ts';
import { readBatch, readBitmapPage, readSchedule } from '../harness/read.ts';
import { batchBytes, patchVault } from '../harness/write.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { configure, declare, holding, scheduled, turnToOther } from './support/scenes.ts';
import { bits, complete, open, pay, payAndEnd, settlement } from './support/window.ts';

/** Indexes that a batch holds back, in order. */
const heldIn = ({ held, heldCount }: ReturnType<typeof readBatch>) => held.slice(0, heldCount).sort((a, b) => a - b);

describe('delegate_schedule', () => {
  it('opens the window: its amount moves to the pool, its batch to the delegation program', () => {
    const { scene, changes, events, outcome } = effectIn(delegateSchedule);
    expect(outcome.computeUnits).toBeLessThan(60_000);
    const { base } = scene.world;
    const rent = { record: base.minimumBalance(96), metadata: base.minimumBalance(98) };
    const delegated = { created: true, owner: DELEGATION_PROGRAM_ADDRESS };
    expect(changes).toEqual({
      authority: { lamports: -rent.record - rent.metadata },
      schedule: {
        phase: [SchedulePhase.Idle, SchedulePhase.Open],
        openedAt: [0n, FIRST],
        opensFrom: [0n, FIRST + 60n],
        windowAmount: [0n, 10_500n],
        windowRecipients: [0, 5],
        windowOpening: [0n, 1n],
      },
      batch: {
        owner: [LEDGER_PROGRAM, DELEGATION_PROGRAM_ADDRESS],
        phase: [BatchPhase.Idle, BatchPhase.Open],
        recipients: [0, 5],
        root: [new Uint8Array(32), scene.list.tree.root],
        openedAt: [0n, FIRST],
        batchTimeout: [0, 30],
        amount: [0n, 10_500n],
      },
      vault: { reserved: [31_500n, 21_000n], open: [0n, 10_500n] },
      vaultToken: { tokens: [100_000n, 89_500n] },
      pool: { movedIn: [0n, 10_500n], open: [0n, 10_500n], openings: [0n, 1n] },
      poolToken: { tokens: [0n, 10_500n] },
      delegationRecord: { ...delegated, lamports: rent.record, size: 96 },
      delegationMetadata: { ...delegated, lamports: rent.metadata, size: 98 },
    });
    expect(events).toEqual([
      {
        __kind: 'WindowOpened',
        schedule: scene.schedule.address,
        window: 0n,
        amount: 10_500n,
        recipients: 5,
        held: 0,
      },
    ]);
  });

  it('delegates the batch to the pool’s validator, whichever the config names since', () => {
    const { scene, instruction } = delegateSchedule.prepare();
    const { world, schedule } = scene;
    turnToOther(world);
    effectOf(delegateSchedule, scene, instruction);
    // In a delegation record stands first whose word counts, then whose account it is.
    const record = world.base.data(schedule.delegationRecord);
    expect(record.slice(8, 40)).toEqual(bytesOf(world.validator));
    expect(record.slice(40, 72)).toEqual(bytesOf(LEDGER_PROGRAM));
  });

  it('opens the next window an hour later, and notes the root that was recorded before', () => {
    const scene = complete(done(createSchedule));
    const { world, schedule } = scene;
    const second = build.delegateSchedule(world, schedule, 1n);
    world.setTime(FIRST + BigInt(HOUR) - 1n);
    expect(refusal(delegateSchedule, scene, second)).toBe('NotDue');
    world.setTime(FIRST + BigInt(HOUR));
    const { changes } = effectOf(delegateSchedule, scene, second);
    expect(changes.schedule).toEqual({
      phase: [SchedulePhase.Idle, SchedulePhase.Open],
      openedAt: [0n, FIRST + 3_600n],
      opensFrom: [FIRST + 60n, FIRST + 3_660n],
      windowAmount: [0n, 10_500n],
      windowRecipients: [0, 5],
      windowOpening: [0n, 2n],
    });
    expect(changes.batch).toMatchObject({
      window: [0n, 1n],
      phase: [BatchPhase.Idle, BatchPhase.Open],
      openedAt: [FIRST, FIRST + 3_600n],
      paidCount: [5, 0],
      paidAmount: [10_500n, 0n],
    });
    expect(changes.vault).toEqual({ reserved: [21_000n, 10_500n], open: [0n, 10_500n] });
    expect(changes.pool).toEqual({ movedIn: [10_500n, 21_000n], open: [0n, 10_500n], openings: [1n, 2n] });
    expect(changes.poolToken).toEqual({ tokens: [10_500n, 21_000n] });
  });

  it('tells the batch who is held back, and takes the whole amount along', () => {
    const scene = open(holding(4, 1));
    expect(readSchedule(scene.world, scene.schedule)).toMatchObject({ windowHeld: 2, windowAmount: 10_500n });
    expect(readBatch(scene.world, scene.schedule)).toMatchObject({
      heldCount: 2,
      paidCount: 0,
      amount: 10_500n,
      bitmapPages: 1,
    });
    expect(heldIn(readBatch(scene.world, scene.schedule))).toEqual([1, 4]);
    expect(readBitmapPage(scene.world, bitmapPageOf(scene.schedule, 0n, 0)).bitmap).toEqual(bits(1, 1, 4));
  });

  it('says in its event how many are held back, though it is all of them', () => {
    const scene = holding(0, 1, 2, 3, 4);
    const { world, schedule } = scene;
    world.setTime(FIRST);
    const { events } = effectOf(delegateSchedule, scene, build.delegateSchedule(world, schedule, 0n));
    expect(events).toMatchObject([{ __kind: 'WindowOpened', amount: 10_500n, recipients: 5, held: 5 }]);
    expect(heldIn(readBatch(world, schedule))).toEqual([0, 1, 2, 3, 4]);
  });

  it('clears whatever the layer left in the batch', () => {
    const scene = done(delegateSchedule);
    const { world, schedule } = scene;
    pay(scene);
    const lie = {
      phase: BatchPhase.Closed,
      held: Array.from({ length: 32 }, () => 7),
      bitmapPages: 3,
      heldCount: 5,
      amount: 1n,
      recipients: 9,
    };
    must(world.bringBack(schedule.batch, batchBytes(world.layer.data(schedule.batch), lie)));
    must(world.base.send(settlement(scene)));
    open(scene);
    expect(readBatch(world, schedule)).toMatchObject({
      window: 1n,
      recipients: 5,
      amount: 10_500n,
      heldCount: 0,
      bitmapPages: 1,
      bitmapHash: new Uint8Array(32),
    });
  });

  it('refuses a window that is not due, by one second', () => {
    const { scene, instruction } = delegateSchedule.prepare();
    scene.world.setTime(FIRST - 1n);
    expect(refusal(delegateSchedule, scene, instruction)).toBe('NotDue');
    scene.world.setTime(FIRST);
    effectOf(delegateSchedule, scene, instruction);
  });

  it('opens what was missed the config’s least interval apart, as it was when the schedule was created', () => {
    const scene = done(createSchedule);
    const { world, schedule } = scene;
    world.setTime(FIRST + BigInt(DAY));
    complete(scene);
    configure(world, { minInterval: 7 * DAY });
    // Late by more than half the interval: that much is forgiven.
    const next = FIRST + BigInt(DAY) + 30n;
    expect(readSchedule(world, schedule)).toMatchObject({ nextExecution: FIRST + 3_600n, opensFrom: next });
    const second = build.delegateSchedule(world, schedule, 1n);
    world.setTime(next - 1n);
    expect(refusal(delegateSchedule, scene, second)).toBe('NotDue');
    world.setTime(next);
    effectOf(delegateSchedule, scene, second);
    expect(readSchedule(world, schedule).opensFrom).toBe(next + 60n);
  });

  it.each([
    ['in time', 0n],
    ['late by up to half the interval', 30n],
  ])('does not put an interval of the least length off by what is opened %s', (_, delay) => {
    const scene = scheduled(undefined, { every: 60 });
    scene.world.setTime(FIRST + delay);
    const { nextExecution, opensFrom } = readSchedule(scene.world, complete(scene).schedule);
    expect([nextExecution, opensFrom]).toEqual([FIRST + 60n, FIRST + 60n]);
  });

  it('refuses another window than the next', () => {
    const { scene } = delegateSchedule.prepare();
    for (const window of [1n, 2n ** 64n - 1n]) {
      const opening = build.delegateSchedule(scene.world, scene.schedule, window);
      expect(refusal(delegateSchedule, scene, opening)).toBe('WrongWindow');
    }
  });

  it('refuses another list than the one that was looked at', () => {
    const { scene, instruction } = delegateSchedule.prepare();
    const { world, schedule, token } = scene;
    must(world.base.send(build.updateRecipients(world, schedule, promiseOf(listOf(token, PAYEES.slice(1))))));
    expect(refusal(delegateSchedule, scene, instruction)).toBe('WrongRootVersion');
    const { rootVersion } = readSchedule(world, schedule);
    for (const other of [rootVersion - 1, rootVersion + 1, 2 ** 32 - 1]) {
      const opening = build.delegateSchedule(world, schedule, 0n, { rootVersion: other });
      expect(refusal(delegateSchedule, scene, opening)).toBe('WrongRootVersion');
    }
    effectOf(delegateSchedule, scene, build.delegateSchedule(world, schedule, 0n, { rootVersion }));
  });

  it('refuses while a window is open: its batch is away, or back and not settled', () => {
    const { scene, instruction } = delegateSchedule.prepare();
    effectOf(delegateSchedule, scene, instruction);
    expect(refusal(delegateSchedule, scene, instruction)).toBe('WindowAlreadyOpen');
    payAndEnd(scene);
    expect(refusal(delegateSchedule, scene, instruction)).toBe('WindowAlreadyOpen');
    expect(refusal(delegateSchedule, scene, build.delegateSchedule(scene.world, scene.schedule, 1n))).toBe(
      'WindowAlreadyOpen',
    );
  });

  it('refuses the last opening when it is sent again', () => {
    const { scene, instruction } = delegateSchedule.prepare();
    complete(scene);
    scene.world.setTime(FIRST + BigInt(HOUR));
    expect(refusal(delegateSchedule, scene, instruction)).toBe('WrongWindow');
  });

  it.each([
    ['paused', build.pauseSchedule],
    ['cancelled', build.cancelSchedule],
  ])('refuses a schedule that is %s', (_, stop) => {
    const { scene, instruction } = delegateSchedule.prepare();
    must(scene.world.base.send(stop(scene.schedule)));
    expect(refusal(delegateSchedule, scene, instruction)).toBe('ScheduleNotActive');
  });

  it('refuses a schedule without executions left', () => {
    const scene = complete(scheduled(undefined, { executions: 1 }));
    scene.world.setTime(FIRST + BigInt(HOUR));
    const next = build.delegateSchedule(scene.world, scene.schedule, 1n);
    expect(refusal(delegateSchedule, scene, next)).toBe('ScheduleNotActive');
  });

  it('refuses when the reserve is a base unit short, which the vault’s own rule excludes', () => {
    const { scene, instruction } = delegateSchedule.prepare();
    patchVault(scene.world, scene.vault, { reserved: 10_499n });
    expect(refusal(delegateSchedule, scene, instruction)).toBe('InsufficientReserve');
    patchVault(scene.world, scene.vault, { reserved: 10_500n });
    effectOf(delegateSchedule, scene, instruction);
  });

  it('opens nothing from the declaration of a loss on, though the grace time has just begun', () => {
    const { scene, instruction } = delegateSchedule.prepare();
    declare(scene.world);
    expect(refusal(delegateSchedule, scene, instruction)).toBe('LayerLost');
  });
});
