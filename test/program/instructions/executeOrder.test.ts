import { named } from '@payouts/testing/litesvm/addresses';
import { associatedToken } from '@payouts/testing/litesvm/handles';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { WALLET } from '../fixtures/constants.ts';
import { executeOrder, holderIn, recordLiabilities, requestWithdrawal, settle } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { readBalance } from '../harness/read.ts';
import { patchPool } from '../harness/write.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { scheduled } from './support/scenes.ts';
import { complete, NOBODY, open, pay } from './support/window.ts';
import { confirm, cover, order, payIssued } from './support/withdrawal.ts';

type Scene = ReturnType<typeof executeOrder.prepare>['scene'];
const execute = (scene: Scene, index: number) => build.executeOrder(scene.world, holderIn(scene, index));

describe('execute_order', () => {
  it('takes everything out when a standing order’s threshold is reached, to the order’s wallet', () => {
    const { changes, events } = effectIn(executeOrder);
    expect(changes).toEqual({
      balance: {
        amount: [1_000n, 0n],
        pendingNumber: [0n, 1n],
        pendingAmount: [0n, 1_000n],
        pendingWallet: [NOBODY, WALLET],
      },
      counter: { next: [1n, 2n], requested: [0n, 1_000n] },
    });
    expect(events).toEqual([{ __kind: 'WithdrawalRequested', number: 1n }]);
  });

  it('delivers to the recipient’s own wallet what a leaf asked for', () => {
    const scene = done(settle);
    const { changes, events } = effectOf(executeOrder, scene, execute(scene, 3));
    expect(changes).toEqual({
      balance: {
        attention: [2, 1],
        amount: [4_000n, 0n],
        deliver: [4_000n, 0n],
        pendingNumber: [0n, 1n],
        pendingAmount: [0n, 4_000n],
        pendingWallet: [NOBODY, holderIn(scene, 3).recipient],
      },
      counter: { next: [1n, 2n], requested: [0n, 4_000n] },
    });
    expect(events).toEqual([{ __kind: 'WithdrawalRequested', number: 1n }]);
  });

  it('delivers no more than what was to be delivered', () => {
    const recipient = named('both ways');
    const scene = scheduled([
      { recipient, amount: 700n },
      { recipient, amount: 300n, delivery: 'wallet' },
    ]);
    open(scene);
    pay(scene, 0, 1);
    pay(scene, 1, 1);
    order(scene, 0, 1_001n, WALLET);
    const { changes } = effectOf(executeOrder, scene, execute(scene, 0));
    expect(changes.balance).toEqual({
      attention: [2, 1],
      amount: [1_000n, 700n],
      deliver: [300n, 0n],
      pendingNumber: [0n, 1n],
      pendingAmount: [0n, 300n],
      pendingWallet: [NOBODY, recipient],
    });
  });

  it('lets a standing order go before a delivery', () => {
    const scene = done(settle);
    order(scene, 3, 4_000n, WALLET);
    const { changes } = effectOf(executeOrder, scene, execute(scene, 3));
    expect(changes.balance).toEqual({
      amount: [4_000n, 0n],
      deliver: [4_000n, 0n],
      pendingNumber: [0n, 1n],
      pendingAmount: [0n, 4_000n],
      pendingWallet: [NOBODY, WALLET],
    });
  });

  it('pays a delivery on the base without the recipient doing anything', () => {
    const scene = done(settle);
    const { world, token } = scene;
    must(world.sendToLayer(execute(scene, 3)));
    cover(scene);
    payIssued(scene, 3, 1n);
    expect(confirm(scene, 3, 1n)).toBeUndefined();
    const { recipient } = holderIn(scene, 3);
    expect(world.base.tokens(associatedToken(recipient, token.mint, token.program))).toBe(4_000n);
    expect(readBalance(world, holderIn(scene, 3))).toMatchObject({ attention: 0, amount: 0n, deliver: 0n });
  });

  it('acts again on what the next window brings', () => {
    const scene = complete(scheduled());
    order(scene, 1, 4_000n, WALLET);
    expect(refusal(executeOrder, scene, execute(scene, 1))).toBe('OrderNotDue');
    complete(scene);
    expect(effectOf(executeOrder, scene, execute(scene, 1)).changes.balance).toMatchObject({
      amount: [4_000n, 0n],
      pendingAmount: [0n, 4_000n],
    });
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
      return { scene, drawn };
    };

    it('plans it for a time within the range, and numbers it when that has come', () => {
      const { scene, drawn } = delayed(10, 20);
      const { world } = scene;
      for (const seconds of [0n, 599n, 1_201n + ROUNDING, 2n ** 62n]) {
        expect(refusal(executeOrder, scene, drawn(seconds))).toBe('InvalidReleaseTime');
      }
      const dueAt = world.now + 600n;
      const { changes, events } = effectOf(executeOrder, scene, drawn(600n));
      expect(changes).toEqual({
        balance: {
          attention: [1, 2],
          pendingAmount: [0n, 1_000n],
          pendingWallet: [NOBODY, WALLET],
          dueAt: [0n, dueAt],
        },
      });
      expect(events).toEqual([{ __kind: 'WithdrawalPlanned' }]);
      expect(refusal(executeOrder, scene, drawn(0n))).toBe('WithdrawalNotReleased');
      world.setTime(dueAt - 1n);
      expect(refusal(executeOrder, scene, drawn(0n))).toBe('WithdrawalNotReleased');
      world.setTime(dueAt);
      expect(refusal(executeOrder, scene, drawn(1n))).toBe('InvalidReleaseTime');
      const released = effectOf(executeOrder, scene, drawn(0n));
      expect(released.changes).toEqual({
        balance: { attention: [2, 1], amount: [1_000n, 0n], pendingNumber: [0n, 1n], dueAt: [dueAt, 0n] },
        counter: { next: [1n, 2n], requested: [0n, 1_000n] },
      });
      expect(released.events).toEqual([{ __kind: 'WithdrawalRequested', number: 1n }]);
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
      const { scene, drawn } = delayed(10, 20);
      order(scene, 1, 900n, WALLET, { delayMin: 10, delayMax: 20 });
      const { world } = scene;
      must(world.sendToLayer(drawn(1_200n)));
      must(world.sendToLayer(drawn(600n, 1)));
      world.setTime(world.now + 1_200n);
      effectOf(executeOrder, scene, drawn(0n, 1));
      effectOf(executeOrder, scene, drawn(0n));
      expect([0, 1].map((index) => readBalance(world, holderIn(scene, index)).pendingNumber)).toEqual([2n, 1n]);
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
      expect(changes.balance).toMatchObject({ amount: [left + 300n, left], pendingAmount: [0n, 300n] });
      cover(scene);
      payIssued(scene, 0, number);
      expect(confirm(scene, 0, number)).toBeUndefined();
    }
    expect(readBalance(scene.world, holderIn(scene))).toMatchObject({ attention: 0, amount: 400n });
    expect(refusal(executeOrder, scene, execute(scene, 0))).toBe('OrderNotDue');
  });

  it('refuses when nothing is to leave, and while a withdrawal is under way', () => {
    const scene = done(requestWithdrawal);
    order(scene, 0, 1n, WALLET);
    expect(refusal(executeOrder, scene, execute(scene, 0))).toBe('WithdrawalPending');
    expect(refusal(executeOrder, scene, execute(scene, 1))).toBe('OrderNotDue');
  });

  it('refuses when the layer has lost numbers that the base knows', () => {
    const { scene, instruction } = executeOrder.prepare();
    patchPool(scene.world, scene.token, { coveredTo: 2n });
    expect(refusal(executeOrder, scene, instruction)).toBe('LayerStateLost');
    const anew = done(recordLiabilities);
    anew.world.loseLayer();
    open(anew);
    pay(anew);
    expect(refusal(executeOrder, anew, execute(anew, 3))).toBe('LayerStateLost');
  });
});
