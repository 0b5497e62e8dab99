import type { Withdrawing } from '@payouts/client';
import { named } from '@payouts/testing/litesvm/addresses';
import { associatedToken } from '@payouts/testing/litesvm/handles';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { WALLET } from '../fixtures/constants.ts';
import { executeOrder, holderIn, recordLiabilities, requestWithdrawal, settle } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { balanceOf, withdrawalsOf } from '../harness/read.ts';
import { patchPool, placePersonal } from '../harness/write.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { scheduled } from './support/scenes.ts';
import { moved, underWay } from './support/slots.ts';
import { complete, NOBODY, open, pay } from './support/window.ts';
import { askerIn, confirm, cover, order, payIssued } from './support/withdrawal.ts';

type Scene = ReturnType<typeof executeOrder.prepare>['scene'];
/** A withdrawal in the first place. */
const begun = (change: Partial<Withdrawing>) => ({ 'withdrawal 0': [undefined, underWay(change)] });
const execute = (scene: Scene, index: number) => build.executeOrder(scene.world, holderIn(scene, index));

describe('execute_order', () => {
  it('takes everything out when a standing order’s threshold is reached, to the order’s wallet', () => {
    const { changes, events, scene } = effectIn(executeOrder);
    expect(changes).toEqual({
      personal: { numbered: [0, 1], nextId: [1, 2], ...begun({ number: 1n, amount: 1_000n }) },
      page: moved(holderIn(scene), 1_000n, 0n),
      counter: { next: [1n, 2n], requested: [0n, 1_000n] },
    });
    expect(events).toEqual([{ __kind: 'WithdrawalRequested', number: 1n }]);
  });

  it('delivers all of a balance whose money goes on to the recipient’s own wallet', () => {
    const scene = done(settle);
    const { changes, events } = effectOf(executeOrder, scene, execute(scene, 3));
    const { recipient: wallet } = holderIn(scene, 3);
    expect(changes).toEqual({
      personal: { numbered: [0, 1], nextId: [1, 2], ...begun({ number: 1n, amount: 4_000n, wallet }) },
      page: moved(holderIn(scene, 3), 4_000n, 0n),
      counter: { next: [1n, 2n], requested: [0n, 4_000n] },
    });
    expect(events).toEqual([{ __kind: 'WithdrawalRequested', number: 1n }]);
  });

  it('delivers nothing of what stays in the same recipient’s balance', () => {
    const recipient = named('both ways');
    const scene = scheduled([
      { recipient, amount: 700n },
      { recipient, amount: 300n, delivery: 'wallet' },
    ]);
    open(scene);
    pay(scene);
    order(scene, 0, 701n, WALLET);
    askerIn(scene, 1);
    const { changes } = effectOf(executeOrder, scene, execute(scene, 1));
    expect(changes.personal).toMatchObject(begun({ number: 1n, amount: 300n, wallet: recipient }));
    expect(refusal(executeOrder, scene, execute(scene, 0))).toBe('OrderNotDue');
    expect(balanceOf(scene.world, holderIn(scene))).toBe(700n);
  });

  it('delivers nothing to the pool, which could never pay itself, and nothing to nobody', () => {
    const scene = done(settle);
    const { world, token } = scene;
    const holder = holderIn(scene, 3);
    for (const recipient of [token.pool, NOBODY]) {
      placePersonal(world, holder, { recipient });
      expect(refusal(executeOrder, scene, execute(scene, 3))).toBe('InvalidWallet');
    }
    expect(balanceOf(world, holder)).toBe(4_000n);
  });

  it('lets a standing order go before a delivery', () => {
    const scene = done(settle);
    order(scene, 3, 4_000n, WALLET);
    const { changes } = effectOf(executeOrder, scene, execute(scene, 3));
    expect(changes.personal).toMatchObject(begun({ number: 1n, amount: 4_000n }));
    expect(changes.page).toEqual(moved(holderIn(scene, 3), 4_000n, 0n));
  });

  it('pays a delivery on the base without the recipient doing anything, and again what comes later', () => {
    const scene = done(settle);
    const { world, token } = scene;
    must(world.sendToLayer(execute(scene, 3)));
    cover(scene);
    payIssued(scene, 3, 1n);
    expect(confirm(scene, 3, 1n)).toBeUndefined();
    const { recipient } = holderIn(scene, 3);
    expect(world.base.tokens(associatedToken(recipient, token.mint, token.program))).toBe(4_000n);
    expect(balanceOf(world, holderIn(scene, 3))).toBe(0n);
    expect(refusal(executeOrder, scene, execute(scene, 3))).toBe('OrderNotDue');
    complete(scene);
    expect(effectOf(executeOrder, scene, execute(scene, 3)).events).toEqual([
      { __kind: 'WithdrawalRequested', number: 2n },
    ]);
  });

  it('acts again on what the next window brings', () => {
    const scene = complete(scheduled());
    order(scene, 1, 4_000n, WALLET);
    expect(refusal(executeOrder, scene, execute(scene, 1))).toBe('OrderNotDue');
    complete(scene);
    expect(effectOf(executeOrder, scene, execute(scene, 1)).changes.page).toEqual(
      moved(holderIn(scene, 1), 4_000n, 0n),
    );
  });

  it('waits for the threshold, to the base unit', () => {
    const scene = done(settle);
    order(scene, 0, 1_001n, WALLET);
    expect(refusal(executeOrder, scene, execute(scene, 0))).toBe('OrderNotDue');
    order(scene, 0, 1_000n, WALLET);
    effectOf(executeOrder, scene, execute(scene, 0));
  });

  describe('of an order with a delay', () => {
    /** What the release may be put off beyond the range, seconds. */
    const ROUNDING = 3_600n;
    const delayed = (delayMin: number, delayMax: number) => {
      const scene = done(settle);
      order(scene, 0, 900n, WALLET, { delayMin, delayMax });
      const drawn = (seconds: bigint, index = 0) =>
        build.executeOrder(scene.world, holderIn(scene, index), scene.world.now + seconds);
      const release = (seconds: bigint, index = 0, id = 1) =>
        build.executeOrder(scene.world, holderIn(scene, index), scene.world.now + seconds, id);
      return { scene, drawn, release };
    };

    it('plans it for a time within the range, and numbers it when that has come', () => {
      const { scene, drawn, release } = delayed(10, 20);
      const { world } = scene;
      for (const seconds of [0n, 599n, 1_201n + ROUNDING, 2n ** 62n]) {
        expect(refusal(executeOrder, scene, drawn(seconds))).toBe('InvalidReleaseTime');
      }
      const dueAt = world.now + 600n;
      const { changes, events } = effectOf(executeOrder, scene, drawn(600n));
      const planned = underWay({ amount: 1_000n, dueAt });
      expect(changes).toEqual({
        personal: { waits: [0, 1], waiting: [0n, 1_000n], nextId: [1, 2], 'withdrawal 0': [undefined, planned] },
      });
      expect(events).toEqual([{ __kind: 'WithdrawalPlanned' }]);
      expect(refusal(executeOrder, scene, release(0n))).toBe('WithdrawalNotReleased');
      world.setTime(dueAt - 1n);
      expect(refusal(executeOrder, scene, release(0n))).toBe('WithdrawalNotReleased');
      world.setTime(dueAt);
      expect(refusal(executeOrder, scene, release(1n))).toBe('InvalidReleaseTime');
      const released = effectOf(executeOrder, scene, release(0n));
      expect(released.changes).toEqual({
        personal: {
          numbered: [0, 1],
          waits: [1, 0],
          waiting: [1_000n, 0n],
          'withdrawal 0': [planned, { ...planned, number: 1n, dueAt: 0n }],
        },
        page: moved(holderIn(scene), 1_000n, 0n),
        counter: { next: [1n, 2n], requested: [0n, 1_000n] },
      });
      expect(released.events).toEqual([{ __kind: 'WithdrawalRequested', number: 1n }]);
      expect(refusal(executeOrder, scene, release(0n))).toBe('WithdrawalReleased');
      expect(refusal(executeOrder, scene, release(0n, 0, 2))).toBe('NoWithdrawalPending');
    });

    it('plans no more than what the withdrawals that wait leave', () => {
      const { scene, drawn } = delayed(10, 20);
      effectOf(executeOrder, scene, drawn(600n));
      expect(refusal(executeOrder, scene, drawn(600n))).toBe('OrderNotDue');
    });

    it('may be put off to the next instant that many share, an hour at most', () => {
      const { scene, drawn } = delayed(10, 20);
      effectOf(executeOrder, scene, drawn(1_200n + ROUNDING));
    });

    it('may release at once when the range begins with nothing', () => {
      const { scene, drawn } = delayed(0, 1);
      expect(effectOf(executeOrder, scene, drawn(-5n)).events).toEqual([{ __kind: 'WithdrawalRequested', number: 1n }]);
    });

    it('never delays a delivery, or an order without one', () => {
      const { scene, drawn } = delayed(0, 0);
      expect(refusal(executeOrder, scene, drawn(1n))).toBe('InvalidReleaseTime');
      expect(refusal(executeOrder, scene, drawn(1n, 3))).toBe('InvalidReleaseTime');
      effectOf(executeOrder, scene, drawn(0n));
      effectOf(executeOrder, scene, drawn(0n, 3));
    });

    it('numbers in the order of release, whatever was asked for first', () => {
      const { scene, drawn, release } = delayed(10, 20);
      order(scene, 1, 900n, WALLET, { delayMin: 10, delayMax: 20 });
      const { world } = scene;
      must(world.sendToLayer(drawn(1_200n)));
      must(world.sendToLayer(drawn(600n, 1)));
      world.setTime(world.now + 1_200n);
      effectOf(executeOrder, scene, release(0n, 1));
      effectOf(executeOrder, scene, release(0n));
      const numbers = [0, 1].map((index) => withdrawalsOf(world, holderIn(scene, index))[0]?.number);
      expect(numbers).toEqual([2n, 1n]);
    });
  });

  it('takes a part at a time while the threshold is reached, and leaves the rest in the balance', () => {
    const scene = done(settle);
    order(scene, 0, 500n, WALLET, { part: 300n });
    for (const [number, left] of [
      [1n, 700n],
      [2n, 400n],
    ] as const) {
      const { changes } = effectOf(executeOrder, scene, execute(scene, 0));
      expect(changes.page).toEqual(moved(holderIn(scene), left + 300n, left));
      cover(scene);
      payIssued(scene, 0, number);
      expect(confirm(scene, 0, number)).toBeUndefined();
    }
    expect(balanceOf(scene.world, holderIn(scene))).toBe(400n);
    expect(refusal(executeOrder, scene, execute(scene, 0))).toBe('OrderNotDue');
  });

  it('goes on while others are under way, as long as there is room for another', () => {
    const scene = done(requestWithdrawal);
    order(scene, 0, 20n, WALLET, { part: 20n });
    for (let place = 1; place < 16; place += 1) effectOf(executeOrder, scene, execute(scene, 0));
    expect(refusal(executeOrder, scene, execute(scene, 0))).toBe('TooManyWithdrawals');
    expect(balanceOf(scene.world, holderIn(scene))).toBe(100n);
  });

  it('refuses when nothing is to leave, and a page that is not the account’s', () => {
    const scene = done(settle);
    expect(refusal(executeOrder, scene, execute(scene, 1))).toBe('OrderNotDue');
    order(scene, 1, 1n, WALLET);
    placePersonal(scene.world, holderIn(scene, 1), { page: WALLET });
    expect(refusal(executeOrder, scene, execute(scene, 1))).toBe('InvalidAccount');
  });

  it('refuses when the layer has lost numbers that the base knows', () => {
    const { scene, instruction } = executeOrder.prepare();
    patchPool(scene.world, scene.token, { coveredTo: 2n });
    expect(refusal(executeOrder, scene, instruction)).toBe('LayerStateLost');
    const anew = done(recordLiabilities);
    anew.world.loseLayer();
    open(anew);
    pay(anew);
    askerIn(anew, 3);
    expect(refusal(executeOrder, anew, execute(anew, 3))).toBe('LayerStateLost');
  });
});
