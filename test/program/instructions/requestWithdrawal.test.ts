import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { WALLET } from '../fixtures/constants.ts';
import { executeOrder, holderIn, recordLiabilities, requestWithdrawal, settle } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { liabilitiesNow, recordNow } from '../harness/read.ts';
import { counterBytes, patchPool, placeInLayer } from '../harness/write.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { NOBODY, open, pay } from './support/window.ts';
import { confirm, order, withdrawTo } from './support/withdrawal.ts';

const ALL = 2n ** 64n - 1n;
type Scene = ReturnType<typeof requestWithdrawal.prepare>['scene'];

const ask = (scene: Scene, amount: bigint, index = 0, wallet = WALLET) =>
  build.requestWithdrawal(holderIn(scene, index), amount, wallet);

describe('request_withdrawal', () => {
  it('takes the amount out of the balance and numbers it', () => {
    const { changes, events, scene } = effectIn(requestWithdrawal);
    expect(changes).toEqual({
      balance: {
        attention: [0, 1],
        amount: [1_000n, 400n],
        pendingNumber: [0n, 1n],
        pendingAmount: [0n, 600n],
        pendingWallet: [NOBODY, WALLET],
      },
      counter: { next: [1n, 2n], requested: [0n, 600n] },
    });
    expect(events).toEqual([{ __kind: 'WithdrawalRequested', number: 1n }]);
    expect(scene.world.actions).toEqual([]);
  });

  it('numbers on across recipients', () => {
    const scene = done(requestWithdrawal);
    const { changes, events } = effectOf(requestWithdrawal, scene, ask(scene, 5n, 2));
    expect(changes.balance).toMatchObject({ amount: [3_000n, 2_995n], pendingNumber: [0n, 2n] });
    expect(changes.counter).toEqual({ next: [2n, 3n], requested: [600n, 605n] });
    expect(events).toEqual([{ __kind: 'WithdrawalRequested', number: 2n }]);
  });

  it.each([
    ['all by the greatest number', ALL],
    ['all by its amount', 1_000n],
  ])('takes %s', (_, amount) => {
    const scene = done(settle);
    const { changes } = effectOf(requestWithdrawal, scene, ask(scene, amount));
    expect(changes.balance).toMatchObject({ amount: [1_000n, 0n], pendingAmount: [0n, 1_000n] });
    expect(changes.counter).toEqual({ next: [1n, 2n], requested: [0n, 1_000n] });
  });

  it('leaves as much for delivery to the wallet as is left', () => {
    const scene = done(settle);
    const { changes } = effectOf(requestWithdrawal, scene, ask(scene, 1_500n, 3));
    expect(changes.balance).toEqual({
      attention: [2, 1],
      amount: [4_000n, 2_500n],
      deliver: [4_000n, 2_500n],
      pendingNumber: [0n, 1n],
      pendingAmount: [0n, 1_500n],
      pendingWallet: [NOBODY, WALLET],
    });
  });

  it('keeps a standing order as it is', () => {
    const scene = done(settle);
    order(scene, 0, 900n, WALLET);
    const { changes } = effectOf(requestWithdrawal, scene, ask(scene, 600n));
    expect(changes.balance).toEqual({
      amount: [1_000n, 400n],
      pendingNumber: [0n, 1n],
      pendingAmount: [0n, 600n],
      pendingWallet: [NOBODY, WALLET],
    });
  });

  describe('with a release time', () => {
    const at = (scene: Scene, amount: bigint, dueAt: bigint, index = 0) =>
      build.requestWithdrawal(holderIn(scene, index), amount, WALLET, undefined, dueAt);

    it('waits in the balance, without a number, and asks for no attention until then', () => {
      const scene = done(settle);
      const dueAt = scene.world.now + 1n;
      const { changes, events } = effectOf(requestWithdrawal, scene, at(scene, 600n, dueAt));
      expect(changes).toEqual({
        balance: { attention: [0, 2], pendingAmount: [0n, 600n], pendingWallet: [NOBODY, WALLET], dueAt: [0n, dueAt] },
      });
      expect(events).toEqual([{ __kind: 'WithdrawalPlanned' }]);
      expect(refusal(requestWithdrawal, scene, at(scene, 1n, 0n))).toBe('WithdrawalPending');
    });

    it('means by everything what there is when it is asked for', () => {
      const scene = done(settle);
      const { changes } = effectOf(requestWithdrawal, scene, at(scene, ALL, scene.world.now + 1n));
      expect(changes.balance).toMatchObject({ pendingAmount: [0n, 1_000n] });
      open(scene);
      pay(scene);
      scene.world.setTime(scene.world.now + 1n);
      const { changes: released } = effectOf(executeOrder, scene, build.executeOrder(scene.world, holderIn(scene)));
      expect(released.balance).toMatchObject({ amount: [2_000n, 1_000n], pendingNumber: [0n, 1n] });
    });

    it('that has come or is past, releases at once', () => {
      const scene = done(settle);
      for (const [index, dueAt] of [scene.world.now, scene.world.now - 1n, -(2n ** 63n)].entries()) {
        const { changes } = effectOf(requestWithdrawal, scene, at(scene, 5n, dueAt, index));
        expect(changes.balance).toMatchObject({ pendingNumber: [0n, BigInt(index) + 1n], pendingAmount: [0n, 5n] });
        expect(changes.balance).not.toHaveProperty('dueAt');
      }
    });

    it('may lie 90 days ahead, and no second more', () => {
      const scene = done(settle);
      const latest = scene.world.now + 90n * 86_400n;
      for (const dueAt of [latest + 1n, 2n ** 63n - 1n]) {
        expect(refusal(requestWithdrawal, scene, at(scene, 600n, dueAt))).toBe('InvalidReleaseTime');
      }
      expect(effectOf(requestWithdrawal, scene, at(scene, 600n, latest)).changes.balance).toMatchObject({
        dueAt: [0n, latest],
      });
    });

    it('refuses what could not be paid at once either', () => {
      const scene = done(settle);
      const later = scene.world.now + 60n;
      expect(refusal(requestWithdrawal, scene, at(scene, 1_001n, later))).toBe('InsufficientBalance');
      expect(refusal(requestWithdrawal, scene, at(scene, 0n, later))).toBe('ZeroAmount');
      patchPool(scene.world, scene.token, { coveredTo: 2n });
      expect(refusal(requestWithdrawal, scene, at(scene, 600n, later))).toBe('LayerStateLost');
    });
  });

  describe('refuses', () => {
    const scene = done(settle);
    it.each([
      ['a base unit more than there is', ask(scene, 1_001n), 'InsufficientBalance'],
      ['almost everything there can be', ask(scene, ALL - 1n), 'InsufficientBalance'],
      ['nothing', ask(scene, 0n), 'ZeroAmount'],
      ['to pay nobody', ask(scene, 600n, 0, NOBODY), 'InvalidWallet'],
      ['to pay the pool that pays', ask(scene, 600n, 0, scene.token.pool), 'InvalidWallet'],
    ])('%s', (_, instruction, error) => {
      expect(refusal(requestWithdrawal, scene, instruction)).toBe(error);
    });
  });

  it('has one withdrawal under way at a time', () => {
    const scene = done(requestWithdrawal);
    expect(refusal(requestWithdrawal, scene, ask(scene, 1n))).toBe('WithdrawalPending');
  });

  it('finds nothing in an empty balance', () => {
    const scene = done(settle);
    withdrawTo(scene, 1, 1n, ALL, WALLET);
    confirm(scene, 1, 1n);
    expect(refusal(requestWithdrawal, scene, ask(scene, ALL, 1))).toBe('ZeroAmount');
    expect(refusal(requestWithdrawal, scene, ask(scene, 1n, 1))).toBe('InsufficientBalance');
  });

  it.each([
    ['a recorded tree has covered', { coveredTo: 2n }],
    ['the base has paid', { highestWithdrawal: 1n }],
  ])('refuses when the counter is behind a number that %s', (_, change) => {
    const { scene, instruction } = requestWithdrawal.prepare();
    patchPool(scene.world, scene.token, change);
    expect(refusal(requestWithdrawal, scene, instruction)).toBe('LayerStateLost');
  });

  it('refuses in a layer that has begun anew, whatever it has paid since', () => {
    const scene = done(recordLiabilities);
    scene.world.loseLayer();
    open(scene);
    pay(scene);
    expect(refusal(requestWithdrawal, scene, ask(scene, 1n))).toBe('LayerStateLost');
  });

  it('refuses from a tree on that covers more than was numbered, until one covers what was', () => {
    const scene = done(settle);
    const { world, token, list } = scene;
    const record = (change: object) =>
      build.recordLiabilities(world, token, {
        ...recordNow(world, token, liabilitiesNow(world, list.holders, [])),
        ...change,
      });
    must(world.base.send(record({ coveredTo: 2n, withdrawalLeaves: 1 })));
    expect(refusal(requestWithdrawal, scene, ask(scene, 1n))).toBe('LayerStateLost');
    must(world.base.send(record({})));
    effectOf(requestWithdrawal, scene, ask(scene, 1n));
  });

  it('refuses beyond the last number', () => {
    const { scene, instruction } = requestWithdrawal.prepare();
    const place = (change: object) =>
      placeInLayer(scene.world, scene.token.counter, (data) => counterBytes(data, change));
    place({ next: 2n ** 64n - 1n });
    expect(refusal(requestWithdrawal, scene, instruction)).toBe('Overflow');
    place({ next: 2n ** 64n - 2n, requested: 2n ** 64n - 1n });
    expect(effectOf(requestWithdrawal, scene, instruction).events).toMatchObject([{ number: 2n ** 64n - 2n }]);
  });
});
