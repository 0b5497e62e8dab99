import { BatchPhase } from '@payouts/client';
import { named } from '@payouts/testing/litesvm/addresses';
import { type BitmapPage, bitmapPageOf } from '@payouts/testing/litesvm/handles';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { FIRST, TIMEOUT } from '../fixtures/constants.ts';
import {
  claimPayment,
  commit,
  delegateSchedule,
  openBitmap,
  openPages,
  type ScheduleScene,
} from '../fixtures/index.ts';
import { anotherBump } from '../harness/bitmap.ts';
import { done } from '../harness/fixture.ts';
import { pagesOf, rangeOf } from '../harness/list.ts';
import { bitmapPages, readBatch, readBitmapPage } from '../harness/read.ts';
import { bitmapRent } from '../harness/rent.ts';
import { batchBytes, placeInLayer } from '../harness/write.ts';
import { created, effectIn, effectOf, refusal } from './support/call.ts';
import { bitmapHash } from './support/hashes.ts';
import { BITS, longList } from './support/longList.ts';
import { bits, finish, open } from './support/window.ts';

const make = ({ world, schedule }: ScheduleScene, ...pages: readonly BitmapPage[]) =>
  build.openBitmapPages(world, schedule, pages);

/** Leaves the batch so many lamports beside those that it needs itself. */
function leave({ world, schedule }: ScheduleScene, lamports: bigint): void {
  const state = world.layer.account(schedule.batch);
  if (state === undefined) throw new Error('no batch');
  world.layer.place({ ...state, lamports: world.layer.ledger.minimumBalance(state.data.length) + lamports });
}

describe('open_bitmap', () => {
  it('makes a page in which nobody is paid, for lamports of the batch', () => {
    const { scene, changes, events } = effectIn(openBitmap);
    const { schedule } = scene;
    expect(changes).toEqual({
      batch: { bitmapPages: [0, 1], lamports: -bitmapRent(5) },
      // What the double of the Magic program moves in place of the rent.
      ephemeralVault: { lamports: expect.any(BigInt) },
      'page 0': { ...created(12, 49), bump: bitmapPageOf(schedule, 0n, 0).bump, schedule: schedule.address },
    });
    expect(events).toEqual([]);
  });

  it('makes both pages of a long list, each as long as its bits, one at a time or together', () => {
    for (const calls of [[[0, 1]], [[1, 0]], [[1], [0]]]) {
      const scene = longList();
      const { world, schedule } = scene;
      for (const numbers of calls) must(world.sendToLayer(build.openBitmap(world, schedule, numbers)));
      const pages = bitmapPages(world, schedule);
      expect(pages.map(({ address }) => world.layer.data(address).length)).toEqual([48 + 8_192, 49]);
      expect(pages.map((page) => readBitmapPage(world, page).number)).toEqual([0, 1]);
    }
  });

  it('makes the page in which the same transaction pays, or neither is done', () => {
    const { world, schedule, list } = done(delegateSchedule);
    must(world.sendToLayer(build.openPages(world, schedule, pagesOf(list.holders))));
    const range = rangeOf(list, 0, list.leaves.length);
    const both = (proof = range.proof) =>
      world.sendToLayer(build.openBitmap(world, schedule), build.claimPayment(world, schedule, { ...range, proof }));
    expect(both([new Uint8Array(32)]).succeeded).toBe(false);
    expect(readBatch(world, schedule)).toMatchObject({ bitmapPages: 0, paidCount: 0 });
    must(both());
    expect(readBatch(world, schedule)).toMatchObject({ bitmapPages: 1, paidCount: list.leaves.length });
  });

  it('sets the bits of those who are held back, in the page of each', () => {
    const scene = longList(BITS + 1, 3, BITS - 1);
    const { world, schedule } = scene;
    must(world.sendToLayer(build.openBitmap(world, schedule, [0, 1])));
    const [first, second] = bitmapPages(world, schedule).map((page) => readBitmapPage(world, page).bitmap);
    expect(first).toEqual(bits(8_192, 3, BITS - 1));
    expect(second).toEqual(bits(1, 1));
    const { events } = effectOf(claimPayment, scene, build.claimPayment(world, schedule, scene.claim(BITS, 4)));
    expect(events).toMatchObject([{ paid: 3, alreadyPaid: 1, skipped: 0 }]);
  });

  it('keeps the nonce of its first page, and makes the others by it', () => {
    const scene = longList();
    const { world, schedule } = scene;
    expect(effectOf(openBitmap, scene, make(scene, bitmapPageOf(schedule, 0n, 1, 5))).changes.batch).toMatchObject({
      bitmapNonce: [0, 5],
    });
    expect(refusal(openBitmap, scene, make(scene, bitmapPageOf(schedule, 0n, 0, 6)))).toBeDefined();
    must(world.sendToLayer(make(scene, bitmapPageOf(schedule, 0n, 0, 5))));
    expect(bitmapPages(world, schedule).map(({ nonce }) => nonce)).toEqual([5, 5]);
  });

  it('finds a page that is there, with those who are paid, and makes what is missing', () => {
    const scene = done(claimPayment);
    const { world, schedule } = scene;
    expect(effectOf(openBitmap, scene, build.openBitmap(world, schedule)).changes).toEqual({});
    expect(readBitmapPage(world, bitmapPageOf(schedule, 0n, 0)).bitmap).toEqual(bits(1, 0, 1, 2, 3, 4));
    const long = longList();
    must(long.world.sendToLayer(build.openBitmap(long.world, long.schedule, [0])));
    const { changes } = effectOf(openBitmap, long, build.openBitmap(long.world, long.schedule, [0, 1]));
    expect(Object.keys(changes)).toEqual(['batch', 'ephemeralVault', 'page 1']);
  });

  it('makes no second page of a number, by another bump or nonce or in the same call: nobody would be paid in it', () => {
    const scene = done(claimPayment);
    const { world, schedule } = scene;
    const page = bitmapPageOf(schedule, 0n, 0);
    for (const other of [anotherBump(schedule, 0n, 0), bitmapPageOf(schedule, 0n, 0, 1)]) {
      expect(effectOf(openBitmap, scene, make(scene, other)).changes).toEqual({});
      expect(world.layer.account(other.address)).toBeUndefined();
    }
    const { scene: fresh } = openBitmap.prepare();
    const { changes } = effectOf(openBitmap, fresh, make(fresh, page, anotherBump(fresh.schedule, 0n, 0)));
    expect(Object.keys(changes)).toEqual(['batch', 'ephemeralVault', 'page 0']);
  });

  it('makes a page again in the next window, in which nobody is paid', () => {
    const scene = finish(done(openPages));
    const { world, schedule } = scene;
    open(scene);
    expect(readBatch(world, schedule)).toMatchObject({ window: 1n, bitmapPages: 1 });
    expect(readBitmapPage(world, bitmapPageOf(schedule, 1n, 0))).toMatchObject({ window: 1n, bitmap: bits(1) });
    expect(world.layer.account(bitmapPageOf(schedule, 0n, 0).address)).toBeUndefined();
  });

  it('makes no page of a batch that is committed', () => {
    const scene = done(commit);
    const { world, schedule } = scene;
    expect(refusal(openBitmap, scene, build.openBitmap(world, schedule, [0], 0n))).toBe('InvalidAccount');
  });

  it('needs all of the rent in the batch, to the lamport, beside the batch’s own', () => {
    const { scene, instruction } = openBitmap.prepare();
    leave(scene, bitmapRent(5) - 1n);
    expect(refusal(openBitmap, scene, instruction)).toBe('SponsorShort');
    leave(scene, bitmapRent(5));
    effectOf(openBitmap, scene, instruction);
  });

  it('refuses a page to whose address somebody has sent lamports: another nonce is as good', () => {
    const { scene, instruction } = openBitmap.prepare();
    const page = bitmapPageOf(scene.schedule, 0n, 0);
    scene.world.base.fund(page.address, 1_000_000n);
    expect(refusal(openBitmap, scene, instruction)).toBeDefined();
    effectOf(openBitmap, scene, make(scene, bitmapPageOf(scene.schedule, 0n, 0, 1)));
  });

  it('refuses an address that does not follow from the batch’s schedule, window and nonce, number and bump', () => {
    const { scene } = openBitmap.prepare();
    const { schedule } = scene;
    const page = bitmapPageOf(schedule, 0n, 0);
    const wrong: BitmapPage[] = [
      { ...page, address: named('elsewhere') },
      { ...page, bump: page.bump ^ 1 },
      bitmapPageOf(schedule, 1n, 0),
      bitmapPageOf({ address: named('another schedule') }, 0n, 0),
      { ...page, address: bitmapPageOf(schedule, 0n, 1).address },
    ];
    for (const each of wrong) expect(refusal(openBitmap, scene, make(scene, each))).toBeDefined();
  });

  it('refuses a number beyond the list', () => {
    const { scene } = openBitmap.prepare();
    for (const number of [1, 16, 32, 2 ** 32 - 1]) {
      expect(refusal(openBitmap, scene, make(scene, bitmapPageOf(scene.schedule, 0n, number)))).toBe('InvalidRange');
    }
  });

  it('refuses no pages, and more or fewer than it has seeds of', () => {
    const { scene } = openBitmap.prepare();
    const page = bitmapPageOf(scene.schedule, 0n, 0);
    const call = make(scene, page, page);
    const { accounts } = call;
    expect(refusal(openBitmap, scene, make(scene))).toBe('InvalidData');
    for (const wrong of [accounts.slice(0, -1), [...accounts, accounts.at(-1)]]) {
      expect(refusal(openBitmap, scene, { ...call, accounts: wrong as never })).toBe('InvalidData');
    }
  });

  it('refuses a batch that is not open', () => {
    const { scene, instruction } = openBitmap.prepare();
    for (const phase of [BatchPhase.Idle, BatchPhase.Closed]) {
      placeInLayer(scene.world, scene.schedule.batch, (data) => batchBytes(data, { phase }));
      expect(refusal(openBitmap, scene, instruction)).toBe('BatchNotOpen');
    }
  });
});

describe('a bitmap of two pages', () => {
  const made = (...held: readonly number[]) => {
    const scene = longList(...held);
    must(scene.world.sendToLayer(build.openBitmap(scene.world, scene.schedule, [0, 1])));
    return scene;
  };

  it('takes a claim on the page of its range, and none with the other one', () => {
    const scene = made();
    const { world, schedule } = scene;
    const [first, second] = bitmapPages(world, schedule) as [BitmapPage, BitmapPage];
    const by = (start: number, { address }: BitmapPage) =>
      build.claimPayment(world, schedule, scene.claim(start, 2), address);
    expect(refusal(claimPayment, scene, by(BITS, first))).toBe('InvalidAccount');
    expect(refusal(claimPayment, scene, by(BITS - 2, second))).toBe('InvalidAccount');
    expect(effectOf(claimPayment, scene, by(BITS - 2, first)).changes.bitmap).toEqual({
      bitmap: [bits(8_192), bits(8_192, BITS - 2, BITS - 1)],
    });
    expect(effectOf(claimPayment, scene, by(BITS, second)).changes.bitmap).toEqual({
      bitmap: [bits(1), bits(1, 0, 1)],
    });
  });

  it('takes no range over both: half of it would be paid without a bit', () => {
    const scene = made();
    const { world, schedule } = scene;
    for (const { address } of bitmapPages(world, schedule)) {
      const call = build.claimPayment(world, schedule, scene.claim(BITS - 1, 2), address);
      expect(refusal(claimPayment, scene, call)).toBe('InvalidRange');
    }
  });

  it('is committed with both in order, each once', () => {
    const scene = made(BITS + 2);
    const { world, schedule } = scene;
    must(world.sendToLayer(build.claimPayment(world, schedule, scene.claim(BITS - 4, 4))));
    must(world.sendToLayer(build.claimPayment(world, schedule, scene.claim(BITS, 4))));
    world.setTime(FIRST + BigInt(TIMEOUT));
    const [first, second] = bitmapPages(world, schedule).map(({ address }) => address) as [never, never];
    const by = (...pages: Parameters<typeof build.commit>[3] & object) => build.commit(world, schedule, 0n, pages);
    for (const wrong of [by(first), by(second), by(), by(first, second, second)]) {
      expect(refusal(commit, scene, wrong)).toBe('InvalidData');
    }
    for (const wrong of [by(first, first), by(second, second), by(second, first)]) {
      expect(refusal(commit, scene, wrong)).toBe('InvalidAccount');
    }
    const { changes } = effectOf(commit, scene, by(first, second));
    const paid = [...Array(4).keys()].flatMap((at) => [BITS - 4 + at, BITS + at]);
    const hash = bitmapHash(schedule, 0n, bits(8_193, ...paid));
    expect(changes.batch).toMatchObject({ bitmapHash: [new Uint8Array(32), hash], lamports: bitmapRent(BITS + 4) });
    expect([changes['page 0'], changes['page 1']]).toEqual([{ removed: true }, { removed: true }]);
  });

  it('is not hashed in part', () => {
    const scene = longList();
    const { world, schedule } = scene;
    must(world.sendToLayer(build.openBitmap(world, schedule, [1])));
    world.setTime(FIRST + BigInt(TIMEOUT));
    const { changes } = effectOf(commit, scene, build.commit(world, schedule, 0n));
    expect(changes['page 0']).toEqual({ removed: true });
    expect(readBatch(world, schedule).bitmapHash).toEqual(new Uint8Array(32));
  });
});
