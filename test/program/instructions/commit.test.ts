import { BatchPhase, DELEGATION_PROGRAM_ADDRESS } from '@payouts/client';
import { named } from '@payouts/testing/litesvm/addresses';
import { type BitmapPage, bitmapPageOf } from '@payouts/testing/litesvm/handles';
import { LEDGER_PROGRAM } from '@payouts/testing/litesvm/programs';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { FIRST, TIMEOUT } from '../fixtures/constants.ts';
import { commit, delegateSchedule } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { bitmapPages, readBatch } from '../harness/read.ts';
import { bitmapRent } from '../harness/rent.ts';
import { batchBytes, placeBitmap, placeInLayer } from '../harness/write.ts';
import { effectIn, effectOf, refusal, refusalOfSecond } from './support/call.ts';
import { bitmapHash } from './support/hashes.ts';
import { holding } from './support/scenes.ts';
import { bits, open, pay } from './support/window.ts';

describe('commit', () => {
  it('closes a batch of which all are paid, and its bitmap, whose rent is the batch’s again', () => {
    const { scene, changes, events } = effectIn(commit);
    const { world, schedule } = scene;
    const hash = bitmapHash(schedule, 0n, bits(1, 0, 1, 2, 3, 4));
    expect(changes).toEqual({
      batch: {
        owner: [LEDGER_PROGRAM, DELEGATION_PROGRAM_ADDRESS],
        phase: [BatchPhase.Open, BatchPhase.Closed],
        bitmapHash: [new Uint8Array(32), hash],
        lamports: bitmapRent(5),
      },
      'page 0': { removed: true },
    });
    expect(events).toEqual([
      { __kind: 'WindowCommitted', schedule: schedule.address, window: 0n, paidCount: 5, paidAmount: 10_500n },
    ]);
    expect([...world.returning]).toEqual([schedule.batch]);
    expect(world.actions).toEqual([]);
  });

  it('waits until the timeout, to the second, if somebody is unpaid', () => {
    const scene = done(delegateSchedule);
    const { world, schedule } = scene;
    pay(scene, 0, 4);
    const call = build.commit(world, schedule, 0n);
    world.setTime(FIRST + BigInt(TIMEOUT) - 1n);
    expect(refusal(commit, scene, call)).toBe('BatchNotComplete');
    world.setTime(FIRST + BigInt(TIMEOUT));
    const { changes, events } = effectOf(commit, scene, call);
    expect(changes.batch).toMatchObject({
      phase: [BatchPhase.Open, BatchPhase.Closed],
      bitmapHash: [new Uint8Array(32), bitmapHash(schedule, 0n, bits(1, 0, 1, 2, 3))],
    });
    expect(events).toMatchObject([{ paidCount: 4, paidAmount: 10_000n }]);
  });

  it('waits for all who are not held back, and hashes the held ones along', () => {
    const scene = open(holding(1, 4));
    const { world, schedule } = scene;
    const call = build.commit(world, schedule, 0n);
    pay(scene, 0, 3);
    expect(refusal(commit, scene, call)).toBe('BatchNotComplete');
    pay(scene, 3, 1);
    const { changes, events } = effectOf(commit, scene, call);
    expect(changes.batch?.bitmapHash).toEqual([new Uint8Array(32), bitmapHash(schedule, 0n, bits(1, 0, 1, 2, 3, 4))]);
    expect(events).toMatchObject([{ paidCount: 3, paidAmount: 8_000n }]);
  });

  it('has nothing to wait for when all are held back', () => {
    const scene = open(holding(0, 1, 2, 3, 4));
    const { events } = effectOf(commit, scene, build.commit(scene.world, scene.schedule, 0n));
    expect(events).toMatchObject([{ __kind: 'WindowCommitted', paidCount: 0, paidAmount: 0n }]);
  });

  it('commits once: from then on the layer changes the batch no more', () => {
    expect(refusalOfSecond(commit)).toBe('InvalidAccount');
  });

  it('refuses another window', () => {
    const { scene } = commit.prepare();
    expect(refusal(commit, scene, build.commit(scene.world, scene.schedule, 1n))).toBe('WrongWindow');
  });

  it.each([
    ['idle', { phase: BatchPhase.Idle }, 'BatchNotOpen'],
    ['closed', { phase: BatchPhase.Closed }, 'BatchNotOpen'],
    ['never to end', { openedAt: 2n ** 63n - 30n, paidCount: 4 }, 'Overflow'],
  ])('refuses a batch that is %s', (_, change, error) => {
    const { scene, instruction } = commit.prepare();
    const { world, schedule } = scene;
    placeInLayer(world, schedule.batch, (data) => batchBytes(data, change));
    expect(refusal(commit, scene, instruction)).toBe(error);
  });

  it('says nothing of who is paid where pages of the bitmap were never made', () => {
    const scene = done(delegateSchedule);
    const { world, schedule } = scene;
    world.setTime(FIRST + BigInt(TIMEOUT));
    const { changes } = effectOf(commit, scene, build.commit(world, schedule, 0n));
    expect(changes.batch).not.toHaveProperty('bitmapHash');
    expect(readBatch(world, schedule)).toMatchObject({ phase: BatchPhase.Closed, bitmapHash: new Uint8Array(32) });
  });

  it('refuses fewer pages than were made, more, one twice, and none of the window’s', () => {
    const { scene } = commit.prepare();
    const { world, schedule } = scene;
    const [page] = bitmapPages(world, schedule) as [BitmapPage];
    const by = (...pages: Parameters<typeof build.commit>[3] & object) => build.commit(world, schedule, 0n, pages);
    expect(refusal(commit, scene, by())).toBe('InvalidData');
    expect(refusal(commit, scene, by(page.address, page.address))).toBe('InvalidData');
    for (const wrong of [
      scene.token.counter,
      bitmapPageOf(schedule, 0n, 1).address,
      bitmapPageOf(schedule, 1n, 0).address,
    ]) {
      expect(refusal(commit, scene, by(wrong))).toBe('InvalidAccount');
    }
    for (const change of [{ window: 1n }, { schedule: named('another schedule') }]) {
      const state = world.layer.account(page.address);
      if (state === undefined) throw new Error('no page');
      placeBitmap(world, page, change);
      expect(refusal(commit, scene, by(page.address))).toBe('InvalidAccount');
      world.layer.place(state);
    }
    effectOf(commit, scene, by(page.address));
  });

  it('brings the batch back to the base as it was committed', () => {
    const scene = done(commit);
    const { world, schedule } = scene;
    const committed = world.layer.data(schedule.batch);
    must(world.bringBack(schedule.batch));
    expect(world.base.data(schedule.batch)).toEqual(committed);
    expect(world.base.account(schedule.batch)?.owner).toBe(LEDGER_PROGRAM);
  });
});
