import { type Batch, BatchPhase, CalendarUnit, MissedWindows, ScheduleStatus } from '@payouts/client';
import { must } from '@payouts/testing/litesvm/world';
import type { Instruction } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { DAY, FIRST, HOUR, PAYEES, TIMEOUT } from '../fixtures/constants.ts';
import {
  createSchedule,
  delegateSchedule,
  recordBeforeSettlement,
  recordLiabilities,
  settle,
} from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { heldOf, liabilitiesNow, readBatch, readPool, readSchedule, readVault, recordNow } from '../harness/read.ts';
import { batchBytes, patchPool, patchVault } from '../harness/write.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { bitmapHash } from './support/hashes.ts';
import { addSchedule, declare, holding, scheduled, skipping } from './support/scenes.ts';
import { bits, complete, end, open, pay, payAndEnd, settlement } from './support/window.ts';

type Scene = ReturnType<typeof scheduled>;

/** A window that the layer sends back with a batch of its own making, and the call that would settle it. */
function lied(scene: Scene, change: Partial<Batch>) {
  const { world, schedule } = scene;
  const { batch } = schedule;
  must(world.bringBack(batch, batchBytes(world.layer.data(batch), { phase: BatchPhase.Closed, ...change })));
  return settlement(scene);
}

/** Two open windows of a token, the second of 3,000, whose batches are back; so many of its two are paid. */
function paidTwo(paid = 2) {
  const scene = done(delegateSchedule);
  const other = open(addSchedule(scene, 2n, PAYEES.slice(0, 2)));
  payAndEnd(scene);
  pay(other, 0, paid);
  if (paid < 2) scene.world.setTime(FIRST + BigInt(DAY));
  end(other);
  return { scene, other };
}

/** Records what is owed while these windows are open. */
function recordAll(...scenes: readonly [Scene, ...Scene[]]): void {
  const { world, token } = scenes[0];
  const holders = scenes.flatMap(({ list }) => list.holders);
  const tree = liabilitiesNow(
    world,
    holders,
    scenes.map(({ schedule }) => schedule),
  );
  must(world.base.send(build.recordLiabilities(world, token, recordNow(world, token, tree))));
}

describe('settle', () => {
  it('ends the window: what is unpaid goes back to the vault, and is no longer owed by the recorded tree', () => {
    const { scene, changes, events } = effectIn(settle);
    const { schedule } = scene;
    const hash = bitmapHash(schedule, 0n, bits(1, 0, 1, 2, 3));
    expect(changes).toEqual({
      schedule: {
        phase: [1, 0],
        nextExecution: [FIRST, FIRST + BigInt(HOUR)],
        window: [0n, 1n],
        executionsLeft: [3, 2],
        openedAt: [FIRST, 0n],
        windowAmount: [10_500n, 0n],
        windowRecipients: [5, 0],
        windowOpening: [1n, 0n],
        lastPaidCount: [0, 4],
        lastPaidAmount: [0n, 10_000n],
        lastBitmapHash: [new Uint8Array(32), hash],
        lastSettledAt: [0n, FIRST + BigInt(TIMEOUT)],
        paidTotal: [0n, 10_000n],
        prepaidRecipients: [5, 1],
      },
      batch: { phase: [BatchPhase.Closed, BatchPhase.Idle] },
      vault: { open: [10_500n, 0n], paid: [0n, 10_000n] },
      vaultToken: { tokens: [89_500n, 90_000n] },
      pool: {
        returned: [0n, 500n],
        open: [10_500n, 0n],
        closings: [0n, 1n],
        liabilitiesLeft: [10_500n, 10_000n],
      },
      poolToken: { tokens: [10_500n, 10_000n] },
    });
    expect(events).toEqual([
      {
        __kind: 'WindowSettled',
        schedule: schedule.address,
        window: 0n,
        paidCount: 4,
        paidAmount: 10_000n,
        returned: 500n,
        bitmapHash: hash,
      },
    ]);
  });

  it('moves no tokens when all are paid, and needs no timeout then', () => {
    const scene = payAndEnd(done(delegateSchedule));
    expect(scene.world.now).toBe(FIRST);
    const { changes, events } = effectOf(settle, scene, settlement(scene));
    expect(Object.keys(changes)).toEqual(['pool', 'schedule', 'batch', 'vault']);
    expect(changes.vault).toEqual({ open: [10_500n, 0n], paid: [0n, 10_500n] });
    expect(changes.pool).toEqual({ open: [10_500n, 0n], closings: [0n, 1n] });
    expect(events).toMatchObject([{ paidCount: 5, paidAmount: 10_500n, returned: 0n }]);
  });

  it('returns what was meant for those held back, without a timeout', () => {
    const scene = payAndEnd(open(holding(1, 3)));
    const { changes } = effectOf(settle, scene, settlement(scene));
    expect(changes.schedule).toMatchObject({
      windowHeld: [2, 0],
      lastPaidCount: [0, 3],
      lastPaidAmount: [0n, 4_500n],
    });
    expect(changes.vault).toEqual({ open: [10_500n, 0n], paid: [0n, 4_500n] });
    expect(changes.vaultToken).toEqual({ tokens: [89_500n, 95_500n] });
    expect(changes.pool).toMatchObject({ returned: [0n, 6_000n], liabilitiesLeft: [10_500n, 4_500n] });
    expect(changes.poolToken).toEqual({ tokens: [10_500n, 4_500n] });
  });

  it('returns everything when all are held back: nothing is owed then', () => {
    const scene = open(holding(0, 1, 2, 3, 4));
    end(scene);
    const { changes } = effectOf(settle, scene, settlement(scene));
    expect(changes.vault).toEqual({ open: [10_500n, 0n] });
    expect(changes.vaultToken).toEqual({ tokens: [89_500n, 100_000n] });
    expect(changes.pool).toEqual({
      returned: [0n, 10_500n],
      open: [10_500n, 0n],
      closings: [0n, 1n],
      liabilitiesLeft: [10_500n, 0n],
    });
    expect(changes.poolToken).toEqual({ tokens: [10_500n, 0n] });
  });

  it('leaves another schedule’s open window as it is', () => {
    const { scene, other } = paidTwo();
    const { world, schedule } = scene;
    recordAll(scene, other);
    const { changes } = effectOf(settle, scene, build.settle(world, schedule, 0n));
    expect(changes.vault).toEqual({ open: [13_500n, 3_000n], paid: [0n, 10_500n] });
    expect(changes.pool).toEqual({ open: [13_500n, 3_000n], closings: [0n, 1n] });
    expect(readSchedule(world, other.schedule)).toMatchObject({ phase: 1, windowAmount: 3_000n });
  });

  it('ends several windows at once', () => {
    const { scene, other } = paidTwo();
    const { world, token, schedule } = scene;
    recordAll(scene, other);
    const windows = [
      { schedule, window: 0n },
      { schedule: other.schedule, window: 0n },
    ];
    const twice = build.settleTogether(world, token, [windows[0], windows[0]] as never);
    expect(refusal(settle, scene, twice)).toBe('WindowNotOpen');
    const { changes, events } = effectOf(settle, scene, build.settleTogether(world, token, windows));
    expect(changes.vault).toEqual({ open: [13_500n, 0n], paid: [0n, 13_500n] });
    expect(changes.pool).toEqual({ open: [13_500n, 0n], closings: [0n, 2n] });
    expect(events.map(({ __kind }) => __kind)).toEqual(['WindowSettled', 'WindowSettled']);
    expect(readSchedule(world, other.schedule)).toMatchObject({ phase: 0, window: 1n, paidTotal: 3_000n });
  });

  it('ends none of several if one of them can’t be ended', () => {
    const scene = done(delegateSchedule);
    const other = open(addSchedule(scene, 2n, PAYEES.slice(0, 2)));
    payAndEnd(scene);
    recordAll(scene, other);
    const { world, token, schedule } = scene;
    const windows = [schedule, other.schedule].map((each) => ({ schedule: each, window: 0n }));
    expect(refusal(settle, scene, build.settleTogether(world, token, windows))).toBe('InvalidAccount');
  });

  describe('the recording', () => {
    it('must know the window', () => {
      const scene = done(delegateSchedule);
      payAndEnd(scene);
      const call = build.settle(scene.world, scene.schedule, 0n);
      expect(refusal(settle, scene, call)).toBe('LiabilitiesMismatch');
      recordBeforeSettlement(scene);
      const other = addSchedule(scene, 2n, PAYEES.slice(0, 2));
      payAndEnd(open(other));
      const later = build.settle(scene.world, other.schedule, 0n);
      expect(refusal(settle, scene, later)).toBe('LiabilitiesMismatch');
      recordAll(scene, other);
      effectOf(settle, scene, later);
    });

    it('is enough for several settlements, in any order, with something returned', () => {
      for (const isOtherFirst of [false, true]) {
        const { scene, other } = paidTwo(1);
        const { world, token } = scene;
        recordAll(scene, other);
        expect(readPool(world, token)).toMatchObject({ liabilitiesLeft: 13_500n, openings: 2n, closings: 0n });
        const calls = [scene, other].map(({ schedule }) => build.settle(world, schedule, 0n));
        for (const call of isOtherFirst ? calls.reverse() : calls) effectOf(settle, scene, call);
        const { liabilitiesLeft, liabilitiesTotal, closings, sequence } = readPool(world, token);
        expect([liabilitiesLeft, liabilitiesTotal]).toEqual([11_500n, 13_500n]);
        expect([closings, sequence]).toEqual([2n, 1n]);
        expect(heldOf(world, token)).toBe(11_500n);
      }
    });

    it('may be followed by another one, and by openings, before the window is settled', () => {
      const { scene, other } = paidTwo(1);
      const { world, token, schedule } = scene;
      recordAll(scene, other);
      const calls = [scene, other].map(({ schedule: each }) => build.settle(world, each, 0n));
      recordAll(scene, other);
      effectOf(settle, scene, calls[1] as Instruction);
      recordAll(scene);
      open(addSchedule(scene, 3n, PAYEES.slice(0, 2)));
      effectOf(settle, scene, calls[0] as Instruction);
      expect(readPool(world, token)).toMatchObject({
        liabilitiesLeft: 11_500n,
        openings: 3n,
        recordedOpenings: 2n,
        closings: 2n,
      });
      expect(heldOf(world, token)).toBe(14_500n);
      expect(readSchedule(world, schedule)).toMatchObject({ phase: 0, window: 1n });
    });

    it('that was made before something returned fits no longer', () => {
      const { scene, other } = paidTwo(1);
      const { world, token, list } = scene;
      recordAll(scene, other);
      const holders = [...list.holders, ...other.list.holders];
      const made = recordNow(world, token, liabilitiesNow(world, holders, [scene.schedule, other.schedule]));
      effectOf(settle, scene, build.settle(world, other.schedule, 0n));
      const stale = build.recordLiabilities(world, token, made);
      expect(refusal(recordLiabilities, scene, stale)).toBe('LiabilitiesMismatch');
      recordAll(scene);
    });

    it('must say that the windows have paid what their batches say, together', () => {
      const { scene, other } = paidTwo();
      const { world, token } = scene;
      recordAll(scene, other);
      const windows = [scene, other].map(({ schedule }) => ({ schedule, window: 0n }));
      for (const paid of [0n, 10_500n, 13_499n, 13_501n, 2n ** 64n - 1n]) {
        const call = build.settleTogether(world, token, windows, paid);
        expect(refusal(settle, scene, call)).toBe('LiabilitiesMismatch');
      }
      effectOf(settle, scene, build.settleTogether(world, token, windows, 13_500n));
    });

    it('that was made while the window still paid settles nothing', () => {
      const scene = done(delegateSchedule);
      const { world, schedule } = scene;
      pay(scene, 0, 2);
      recordBeforeSettlement(scene);
      const { paidAmount } = readBatch(world, schedule);
      payAndEnd(scene);
      expect(refusal(settle, scene, build.settle(world, schedule, 0n, paidAmount))).toBe('LiabilitiesMismatch');
    });

    it('owes enough for what a window returns, whatever is recorded of it', () => {
      const { scene, instruction } = settle.prepare();
      const { world, token } = scene;
      patchPool(world, token, { liabilitiesLeft: 499n });
      expect(refusal(settle, scene, instruction)).toBe('PoolShortfall');
      patchPool(world, token, { liabilitiesLeft: 500n });
      effectOf(settle, scene, instruction);
    });
  });

  it('refuses no window, and accounts that are not four for each', () => {
    const { scene, instruction } = settle.prepare();
    const { accounts = [], data = new Uint8Array() } = instruction;
    const none = { ...instruction, data: Uint8Array.of(...data.slice(0, 9), 0, 0), accounts: accounts.slice(0, 6) };
    const short = { ...instruction, accounts: accounts.slice(0, -1) };
    const long = { ...instruction, accounts: [...accounts, ...accounts.slice(-1)] };
    for (const call of [none, short, long]) expect(refusal(settle, scene, call)).toBe('InvalidData');
  });

  it('completes the schedule with its last execution', () => {
    const scene = complete(scheduled(PAYEES, { executions: 2 }));
    expect(readSchedule(scene.world, scene.schedule)).toMatchObject({ status: 0, executionsLeft: 1 });
    payAndEnd(open(scene));
    const { changes } = effectOf(settle, scene, settlement(scene));
    expect(changes.schedule).toMatchObject({
      status: [ScheduleStatus.Active, ScheduleStatus.Completed],
      executionsLeft: [1, 0],
      window: [1n, 2n],
      nextExecution: [FIRST + BigInt(HOUR), FIRST + BigInt(2 * HOUR)],
      paidTotal: [10_500n, 21_000n],
    });
    expect(readVault(scene.world, scene.vault)).toMatchObject({ reserved: 0n, open: 0n, paid: 21_000n });
  });

  it.each([
    ['paused', build.pauseSchedule, ScheduleStatus.Paused, 2],
    ['cancelled', build.cancelSchedule, ScheduleStatus.Cancelled, 0],
  ])('ends the window of a schedule that was %s meanwhile as usual', (_, stop, status, left) => {
    const scene = done(delegateSchedule);
    const { world, schedule, vault } = scene;
    must(world.base.send(stop(schedule)));
    payAndEnd(scene);
    const { changes } = effectOf(settle, scene, settlement(scene));
    expect(changes.vault).toEqual({ open: [10_500n, 0n], paid: [0n, 10_500n] });
    expect(readSchedule(world, schedule)).toMatchObject({ status, executionsLeft: left, phase: 0, window: 1n });
    expect(readVault(world, vault).reserved).toBe(left === 0 ? 0n : 21_000n);
  });

  it('completes a paused schedule whose last window it ends', () => {
    const scene = open(scheduled(PAYEES, { executions: 1 }));
    must(scene.world.base.send(build.pauseSchedule(scene.schedule)));
    payAndEnd(scene);
    const { changes } = effectOf(settle, scene, settlement(scene));
    expect(changes.schedule?.status).toEqual([ScheduleStatus.Paused, ScheduleStatus.Completed]);
  });

  describe('the next execution', () => {
    it.each<[string, () => Scene, bigint, bigint]>([
      ['catches up one by one', () => scheduled(), 5n * 3_600n, 3_600n],
      ['skips what was missed', skipping, 5n * 3_600n, 6n * 3_600n],
      ['skips to one that is strictly ahead', skipping, 5n * 3_600n - 1n, 5n * 3_600n],
      ['skips nothing when nothing was missed', skipping, 3_599n, 3_600n],
    ])('%s', (_, create, late, next) => {
      const scene = create();
      scene.world.setTime(FIRST + late);
      payAndEnd(open(scene));
      const { changes } = effectOf(settle, scene, settlement(scene));
      expect(changes.schedule?.nextExecution).toEqual([FIRST, FIRST + next]);
    });

    it('follows the calendar to the last day of a shorter month', () => {
      const first = BigInt(Date.UTC(2027, 0, 31, 9) / 1_000);
      const scene = complete(
        scheduled(PAYEES, { unit: CalendarUnit.MonthsOnDay, every: 1, day: 31, firstExecution: first }),
      );
      const next = () =>
        new Date(Number(readSchedule(scene.world, scene.schedule).nextExecution) * 1_000).toISOString();
      expect(next()).toBe('2027-02-28T09:00:00.000Z');
      complete(scene);
      expect(next()).toBe('2027-03-31T09:00:00.000Z');
    });
  });

  describe('a lying layer', () => {
    it.each<[string, Partial<Batch>]>([
      ['pays a base unit too much', { paidCount: 5, paidAmount: 10_501n }],
      ['pays all that there is in numbers', { paidCount: 5, paidAmount: 2n ** 64n - 1n }],
      ['pays one too many', { paidCount: 6, paidAmount: 10_500n }],
      ['pays less than a base unit each', { paidCount: 5, paidAmount: 4n }],
      ['pays nobody something', { paidCount: 0, paidAmount: 1n }],
    ])('%s', (_, change) => {
      const scene = done(delegateSchedule);
      const { world, schedule } = scene;
      must(
        world.bringBack(
          schedule.batch,
          batchBytes(world.layer.data(schedule.batch), { phase: BatchPhase.Closed, ...change }),
        ),
      );
      world.setTime(FIRST + BigInt(DAY));
      expect(refusal(settle, scene, settlement(scene))).toBe('BatchOutOfBounds');
    });

    it('counts one who is held back as paid', () => {
      const scene = open(holding(2));
      expect(refusal(settle, scene, lied(scene, { paidCount: 5, paidAmount: 10_500n }))).toBe('BatchOutOfBounds');
    });

    it.each([
      ['open', BatchPhase.Open],
      ['idle', BatchPhase.Idle],
    ])('sends a batch back that is %s: it settles as it is, from the batch timeout on', (_, phase) => {
      const scene = done(delegateSchedule);
      const { world, schedule } = scene;
      pay(scene, 0, 4);
      const call = lied(scene, { phase });
      world.setTime(FIRST + BigInt(TIMEOUT) - 1n);
      expect(refusal(settle, scene, call)).toBe('BatchNotClosed');
      world.setTime(FIRST + BigInt(TIMEOUT));
      const { changes, events } = effectOf(settle, scene, call);
      expect(changes.vault).toEqual({ open: [10_500n, 0n], paid: [0n, 10_000n] });
      expect(changes.poolToken).toEqual({ tokens: [10_500n, 10_000n] });
      // Nobody has hashed the bitmap, which is gone.
      const hash = new Uint8Array(32);
      expect(events[0]).toMatchObject({ paidCount: 4, paidAmount: 10_000n, returned: 500n, bitmapHash: hash });
      expect(readSchedule(world, schedule)).toMatchObject({ phase: 0, window: 1n, lastBitmapHash: hash });
    });

    it('sends a batch back that is open: it gains nothing beyond the window’s bounds, though all are said to be paid', () => {
      const scene = done(delegateSchedule);
      pay(scene);
      const call = lied(scene, { phase: BatchPhase.Open, batchTimeout: 0, openedAt: 0n });
      expect(refusal(settle, scene, call)).toBe('BatchNotClosed');
      const other = done(delegateSchedule);
      const beyond = lied(other, { phase: BatchPhase.Open, paidCount: 5, paidAmount: 10_501n });
      other.world.setTime(FIRST + BigInt(DAY));
      expect(refusal(settle, other, beyond)).toBe('BatchOutOfBounds');
    });

    it('names another window, which settles at no time', () => {
      const scene = done(delegateSchedule);
      pay(scene);
      const call = lied(scene, { window: 1n, phase: BatchPhase.Open });
      expect(refusal(settle, scene, call)).toBe('BatchNotClosed');
      scene.world.setTime(FIRST + BigInt(DAY));
      expect(refusal(settle, scene, call)).toBe('BatchNotClosed');
    });

    it('is believed within the window’s bounds: that is all it can take', () => {
      const scene = done(delegateSchedule);
      const { world, schedule } = scene;
      pay(scene, 0, 1);
      const believed = lied(scene, { paidCount: 5, paidAmount: 10_500n });
      // An honest tree has what the balances have.
      expect(refusal(settle, scene, build.settle(world, schedule, 0n, 1_000n))).toBe('LiabilitiesMismatch');
      const { changes } = effectOf(settle, scene, believed);
      expect(changes.vault).toEqual({ open: [10_500n, 0n], paid: [0n, 10_500n] });
      expect(changes.poolToken).toBeUndefined();
    });

    it('cannot end the window before the timeout by the base’s clock', () => {
      const scene = done(delegateSchedule);
      const { world, schedule } = scene;
      pay(scene, 0, 4);
      world.layer.ledger.setTime(FIRST + BigInt(TIMEOUT));
      must(world.sendToLayer(build.commit(world, schedule, 0n)));
      world.deliver();
      const call = settlement(scene);
      world.setTime(FIRST + BigInt(TIMEOUT) - 1n);
      expect(refusal(settle, scene, call)).toBe('BatchNotComplete');
      world.setTime(FIRST + BigInt(TIMEOUT));
      effectOf(settle, scene, call);
    });

    it('cannot make those it says are held back count as paid', () => {
      const scene = done(delegateSchedule);
      pay(scene, 0, 4);
      const call = lied(scene, { heldCount: 5, amount: 10_000n, recipients: 4, batchTimeout: 1, openedAt: 1n });
      expect(refusal(settle, scene, call)).toBe('BatchNotComplete');
    });
  });

  it('refuses while the batch is away', () => {
    const scene = done(delegateSchedule);
    expect(refusal(settle, scene, settlement(scene))).toBe('InvalidAccount');
  });

  it('refuses another window', () => {
    const { scene } = settle.prepare();
    expect(refusal(settle, scene, build.settle(scene.world, scene.schedule, 1n))).toBe('WrongWindow');
  });

  it('refuses a second time, and before the first', () => {
    const { scene, instruction } = settle.prepare();
    effectOf(settle, scene, instruction);
    expect(refusal(settle, scene, instruction)).toBe('WindowNotOpen');
    const fresh = done(createSchedule);
    expect(refusal(settle, fresh, settlement(fresh))).toBe('WindowNotOpen');
  });

  it('refuses another schedule’s batch, though it is closed and of the same window', () => {
    const scene = done(delegateSchedule);
    const other = open(addSchedule(scene, 2n));
    for (const each of [scene, other]) {
      payAndEnd(each);
    }
    const call = settlement({ ...scene, schedule: { ...scene.schedule, batch: other.schedule.batch } });
    expect(refusal(settle, scene, call)).toBe('InvalidAccount');
  });

  it('leaves the pool alone once a loss is declared, until that is revoked', () => {
    const { scene, instruction } = settle.prepare();
    declare(scene.world);
    expect(refusal(settle, scene, instruction)).toBe('LayerLost');
    must(scene.world.base.send(build.revokeLoss(scene.world.governance)));
    effectOf(settle, scene, instruction);
  });

  it('refuses when the vault or the pool has less in open windows, which their own rules exclude', () => {
    const { scene, instruction } = settle.prepare();
    const { world, vault, token } = scene;
    patchVault(world, vault, { open: 10_499n });
    expect(refusal(settle, scene, instruction)).toBe('Overflow');
    patchVault(world, vault, { open: 10_500n });
    patchPool(world, token, { open: 10_499n });
    expect(refusal(settle, scene, instruction)).toBe('Overflow');
  });

  it('settles windows that skip over years', () => {
    const scene = scheduled(PAYEES, { missed: MissedWindows.Skip, every: 60 });
    scene.world.setTime(FIRST + 10n * 365n * BigInt(DAY) + 59n);
    payAndEnd(open(scene));
    const { changes } = effectOf(settle, scene, settlement(scene));
    expect(changes.schedule?.nextExecution).toEqual([FIRST, FIRST + 10n * 365n * BigInt(DAY) + 60n]);
  });
});
