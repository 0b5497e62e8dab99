import { named } from '@payouts/testing/litesvm/addresses';
import { associatedToken, balancePageOf } from '@payouts/testing/litesvm/handles';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { OTHER_WALLET, WALLET } from '../fixtures/constants.ts';
import { executeOrder, holderIn, recordLiabilities, requestWithdrawal, settle } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { liabilitiesNow, readPersonal, recordNow, withdrawalsOf } from '../harness/read.ts';
import { counterBytes, patchPool, placeBalance, placeInLayer, placePersonal } from '../harness/write.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { moved, underWay } from './support/slots.ts';
import { NOBODY, open, pay } from './support/window.ts';
import { askerIn, confirm, cover, order, payIssued, withdrawTo } from './support/withdrawal.ts';

const ALL = 2n ** 64n - 1n;
type Scene = ReturnType<typeof requestWithdrawal.prepare>['scene'];

const ask = (scene: Scene, amount: bigint, index = 0, wallet = WALLET) =>
  build.requestWithdrawal(holderIn(scene, index), amount, wallet);

describe('request_withdrawal', () => {
  it('takes the amount out of the balance and numbers it', () => {
    const { changes, events, scene } = effectIn(requestWithdrawal);
    expect(changes).toEqual({
      personal: { numbered: [0, 1], nextId: [1, 2], 'withdrawal 0': [undefined, underWay({ number: 1n })] },
      page: moved(holderIn(scene), 1_000n, 400n),
      counter: { next: [1n, 2n], requested: [0n, 600n] },
    });
    expect(events).toEqual([{ __kind: 'WithdrawalRequested', number: 1n }]);
    expect(scene.world.actions).toEqual([]);
  });

  it('numbers on across recipients', () => {
    const scene = done(requestWithdrawal);
    const { changes, events } = effectOf(requestWithdrawal, scene, ask(scene, 5n, 2));
    expect(changes.page).toEqual(moved(holderIn(scene, 2), 3_000n, 2_995n));
    expect(changes.personal).toMatchObject({ 'withdrawal 0': [undefined, underWay({ number: 2n, amount: 5n })] });
    expect(changes.counter).toEqual({ next: [2n, 3n], requested: [600n, 605n] });
    expect(events).toEqual([{ __kind: 'WithdrawalRequested', number: 2n }]);
  });

  it.each([
    ['all by the greatest number', ALL],
    ['all by its amount', 1_000n],
  ])('takes %s', (_, amount) => {
    const scene = done(settle);
    const { changes } = effectOf(requestWithdrawal, scene, ask(scene, amount));
    expect(changes.page).toEqual(moved(holderIn(scene), 1_000n, 0n));
    expect(changes.counter).toEqual({ next: [1n, 2n], requested: [0n, 1_000n] });
  });

  it('takes from a balance whose money goes on to the wallet, too', () => {
    const scene = done(settle);
    const { changes } = effectOf(requestWithdrawal, scene, ask(scene, 1_500n, 3));
    expect(changes.page).toEqual(moved(holderIn(scene, 3), 4_000n, 2_500n));
    expect(changes.personal).toMatchObject({ 'withdrawal 0': [undefined, underWay({ number: 1n, amount: 1_500n })] });
  });

  it('keeps a standing order as it is', () => {
    const scene = done(settle);
    order(scene, 0, 900n, WALLET);
    const { changes } = effectOf(requestWithdrawal, scene, ask(scene, 600n));
    expect(changes.personal).toEqual({
      numbered: [0, 1],
      nextId: [1, 2],
      'withdrawal 0': [undefined, underWay({ number: 1n })],
    });
  });

  describe('of several at a time', () => {
    it('gives each its own number, and its own wallet', () => {
      const scene = done(requestWithdrawal);
      const { changes } = effectOf(requestWithdrawal, scene, ask(scene, 300n, 0, OTHER_WALLET));
      expect(changes.personal).toEqual({
        nextId: [2, 3],
        'withdrawal 1': [undefined, underWay({ number: 2n, amount: 300n, wallet: OTHER_WALLET, id: 2 })],
      });
      expect(changes.page).toEqual(moved(holderIn(scene), 400n, 100n));
    });

    it('never asks for more than what the others leave, whether they wait or not', () => {
      const scene = done(requestWithdrawal);
      const { world } = scene;
      const later = world.now + 60n;
      must(world.sendToLayer(build.requestWithdrawal(holderIn(scene), 300n, WALLET, undefined, later)));
      expect(readPersonal(world, holderIn(scene)).waiting).toBe(300n);
      expect(refusal(requestWithdrawal, scene, ask(scene, 101n))).toBe('InsufficientBalance');
      const { changes } = effectOf(requestWithdrawal, scene, ask(scene, ALL));
      expect(changes.page).toEqual(moved(holderIn(scene), 400n, 300n));
      expect(refusal(requestWithdrawal, scene, ask(scene, 1n))).toBe('InsufficientBalance');
      expect(refusal(requestWithdrawal, scene, ask(scene, ALL))).toBe('ZeroAmount');
    });

    it('has as many as its account has room for, and another in the place of one that has ended', () => {
      const scene = done(settle);
      const { world } = scene;
      for (let each = 0; each < 16; each += 1) must(world.sendToLayer(ask(scene, 10n)));
      expect(refusal(requestWithdrawal, scene, ask(scene, 10n))).toBe('TooManyWithdrawals');
      expect(withdrawalsOf(world, holderIn(scene)).map(({ id }) => id)).toEqual(
        Array.from({ length: 16 }, (_, place) => place + 1),
      );
      cover(scene);
      payIssued(scene, 0, 7n);
      confirm(scene, 0, 7n);
      const { changes } = effectOf(requestWithdrawal, scene, ask(scene, 10n));
      expect(changes.personal).toMatchObject({
        'withdrawal 6': [undefined, underWay({ number: 17n, amount: 10n, id: 17 })],
      });
      expect(refusal(requestWithdrawal, scene, ask(scene, 10n))).toBe('TooManyWithdrawals');
    });

    it('pays each to its wallet, in whatever order', () => {
      const scene = done(requestWithdrawal);
      const { world, token } = scene;
      must(world.sendToLayer(ask(scene, 300n, 0, OTHER_WALLET)));
      cover(scene);
      for (const number of [2n, 1n]) {
        payIssued(scene, 0, number);
        expect(confirm(scene, 0, number)).toBeUndefined();
      }
      const tokens = [WALLET, OTHER_WALLET].map((at) =>
        world.base.tokens(associatedToken(at, token.mint, token.program)),
      );
      expect(tokens).toEqual([600n, 300n]);
      expect(readPersonal(world, holderIn(scene))).toMatchObject({ numbered: 0, waits: 0, waiting: 0n });
      expect(withdrawalsOf(world, holderIn(scene))).toEqual([]);
    });

    it('ends with the last number of its own', () => {
      const scene = done(settle);
      placePersonal(scene.world, holderIn(scene), { nextId: 2 ** 32 - 1 });
      expect(refusal(requestWithdrawal, scene, ask(scene, 10n))).toBe('Overflow');
    });
  });

  describe('with a release time', () => {
    const at = (scene: Scene, amount: bigint, dueAt: bigint, index = 0) =>
      build.requestWithdrawal(holderIn(scene, index), amount, WALLET, undefined, dueAt);

    it('waits in the balance, without a number', () => {
      const scene = done(settle);
      const dueAt = scene.world.now + 1n;
      const { changes, events } = effectOf(requestWithdrawal, scene, at(scene, 600n, dueAt));
      expect(changes).toEqual({
        personal: {
          waits: [0, 1],
          waiting: [0n, 600n],
          nextId: [1, 2],
          'withdrawal 0': [undefined, underWay({ dueAt })],
        },
      });
      expect(events).toEqual([{ __kind: 'WithdrawalPlanned' }]);
    });

    it('means by everything what there is when it is asked for', () => {
      const scene = done(settle);
      const { changes } = effectOf(requestWithdrawal, scene, at(scene, ALL, scene.world.now + 1n));
      expect(changes.personal).toMatchObject({ waiting: [0n, 1_000n] });
      open(scene);
      pay(scene);
      scene.world.setTime(scene.world.now + 1n);
      const call = build.executeOrder(scene.world, holderIn(scene), 0n, 1);
      expect(effectOf(executeOrder, scene, call).changes.page).toEqual(moved(holderIn(scene), 2_000n, 1_000n));
    });

    it('that has come or is past, releases at once', () => {
      const scene = done(settle);
      for (const [index, dueAt] of [scene.world.now, scene.world.now - 1n, -(2n ** 63n)].entries()) {
        const { changes } = effectOf(requestWithdrawal, scene, at(scene, 5n, dueAt, index));
        expect(changes.personal).toMatchObject({
          'withdrawal 0': [undefined, underWay({ number: BigInt(index) + 1n, amount: 5n })],
        });
      }
    });

    it('may lie 90 days ahead, and no second more', () => {
      const scene = done(settle);
      const latest = scene.world.now + 90n * 86_400n;
      for (const dueAt of [latest + 1n, 2n ** 63n - 1n]) {
        expect(refusal(requestWithdrawal, scene, at(scene, 600n, dueAt))).toBe('InvalidReleaseTime');
      }
      expect(effectOf(requestWithdrawal, scene, at(scene, 600n, latest)).changes.personal).toMatchObject({
        'withdrawal 0': [undefined, underWay({ dueAt: latest })],
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

  it('refuses another page than the account’s, and a slot that has become another owner’s', () => {
    const scene = done(settle);
    const { world, token } = scene;
    const first = holderIn(scene);
    const page = balancePageOf(token, 1);
    const state = world.layer.account(first.page.address);
    if (state === undefined) throw new Error('no page');
    world.layer.place({ ...state, address: page.address });
    const other = build.requestWithdrawal({ ...first, page }, 600n, WALLET);
    expect(refusal(requestWithdrawal, scene, other)).toBe('InvalidAccount');
    placeBalance(world, first, { owner: holderIn(scene, 1).owner });
    expect(refusal(requestWithdrawal, scene, ask(scene, 600n))).toBe('NotOwner');
  });

  it('refuses another token’s counter or pool', () => {
    const scene = done(settle);
    placePersonal(scene.world, holderIn(scene), { mint: named('another mint') });
    expect(refusal(requestWithdrawal, scene, ask(scene, 600n))).toBe('InvalidAccount');
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
    askerIn(scene);
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
