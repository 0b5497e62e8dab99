import { EXIT_LIMIT_SECONDS, lastRound, ROUND_OPEN_SECONDS, ROUND_SECONDS, roundBefore } from '@payouts/client';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { OTHER_WALLET, WALLET } from '../fixtures/constants.ts';
import {
  executeOrder,
  holderIn,
  PART,
  redirectWithdrawal,
  requestParts,
  requestWithdrawal,
  settle,
} from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { balanceOf, withdrawalsOf } from '../harness/read.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { underWay } from './support/slots.ts';

type Scene = ReturnType<typeof requestParts.prepare>['scene'];
const part = (scene: Scene, change: object) =>
  underWay({ amount: PART, inRound: 1, dueAt: lastRound(scene.world.now), ...change });
const ask = (scene: Scene, count: number, size = PART) =>
  build.requestParts(
    holderIn(scene),
    size,
    Array.from({ length: count }, () => WALLET),
  );
const release = (scene: Scene, id: number) => build.executeOrder(scene.world, holderIn(scene), 0n, id);

describe('request_parts', () => {
  it('has each part wait for a round, for one wallet each, and takes nothing out of the balance yet', () => {
    const { changes, events, scene } = effectIn(requestParts);
    expect(changes).toEqual({
      personal: {
        waits: [0, 1],
        waiting: [0n, 2n * PART],
        nextId: [1, 3],
        'withdrawal 0': [undefined, part(scene, {})],
        'withdrawal 1': [undefined, part(scene, { wallet: OTHER_WALLET, id: 2 })],
      },
    });
    expect(events).toEqual([{ __kind: 'WithdrawalPlanned' }, { __kind: 'WithdrawalPlanned' }]);
  });

  it('has six of a balance leave within 84 hours, and those beyond within ten days', () => {
    const scene = done(settle);
    const { world } = scene;
    const dues = () => withdrawalsOf(world, holderIn(scene)).map(({ dueAt }) => dueAt);
    const [first, later] = [lastRound(world.now), lastRound(world.now, EXIT_LIMIT_SECONDS)];
    expect([first - world.now, later - world.now].map((wait) => wait / 86_400n)).toEqual([3n, 9n]);
    must(world.sendToLayer(ask(scene, 4, 10n)));
    must(world.sendToLayer(ask(scene, 4, 10n)));
    expect(dues()).toEqual([...Array(6).fill(first), later, later]);
    // As many wait as before, however many were asked for: a place that is free counts, and one whose time is its own doesn't.
    must(world.sendToLayer(build.cancelWithdrawal(holderIn(scene), undefined, 1)));
    must(world.sendToLayer(build.redirectWithdrawal(holderIn(scene), WALLET, undefined, world.now + 60n, 2)));
    must(world.sendToLayer(ask(scene, 2, 10n)));
    expect(dues().sort()).toEqual([world.now + 60n, ...Array(4).fill(first), ...Array(4).fill(later)].sort());
    must(world.sendToLayer(build.cancelWithdrawal(holderIn(scene), undefined, 7)));
    must(world.sendToLayer(build.cancelWithdrawal(holderIn(scene), undefined, 8)));
    must(world.sendToLayer(build.cancelWithdrawal(holderIn(scene), undefined, 9)));
    must(world.sendToLayer(ask(scene, 1, 10n)));
    expect(dues().filter((due) => due === first)).toHaveLength(5);
  });

  it('takes all parts or none', () => {
    const scene = done(settle);
    expect(refusal(requestParts, scene, ask(scene, 4))).toBe('InsufficientBalance');
    expect(refusal(requestParts, scene, ask(scene, 0))).toBe('InvalidData');
    expect(refusal(requestParts, scene, ask(scene, 1, 0n))).toBe('ZeroAmount');
    const { changes } = effectOf(requestParts, scene, ask(scene, 3));
    expect(changes.personal).toMatchObject({ waiting: [0n, 3n * PART] });
    expect(refusal(requestParts, scene, ask(scene, 1))).toBe('InsufficientBalance');
  });

  it('has no more parts than there is room for', () => {
    const scene = done(settle);
    expect(refusal(requestParts, scene, ask(scene, 17, 10n))).toBe('TooManyWithdrawals');
    must(scene.world.sendToLayer(ask(scene, 16, 10n)));
    expect(refusal(requestParts, scene, ask(scene, 1, 10n))).toBe('TooManyWithdrawals');
  });

  it('pays no pool', () => {
    const scene = done(settle);
    const call = build.requestParts(holderIn(scene), PART, [WALLET, scene.token.pool]);
    expect(refusal(requestParts, scene, call)).toBe('InvalidWallet');
  });
});

describe('a part of a round', () => {
  /** The next round after a scene's time. */
  const nextRound = ({ world }: Scene) => roundBefore(world.now) + ROUND_SECONDS;

  it('is released while a round is open, and at no other time before its limit', () => {
    const scene = done(requestParts);
    const { world } = scene;
    const round = nextRound(scene);
    for (const time of [round - 1n, round + ROUND_OPEN_SECONDS, round + ROUND_SECONDS - 1n]) {
      world.setTime(time);
      expect(refusal(executeOrder, scene, release(scene, 1))).toBe('WithdrawalNotReleased');
    }
    for (const [time, id] of [
      [round + ROUND_SECONDS, 2],
      [round + ROUND_SECONDS + ROUND_OPEN_SECONDS - 1n, 1],
    ] as const) {
      world.setTime(time);
      must(world.sendToLayer(release(scene, id)));
    }
    // Numbers are those of the order in which they were released.
    expect(withdrawalsOf(world, holderIn(scene)).map(({ id, number }) => [id, number])).toEqual([
      [1, 2n],
      [2, 1n],
    ]);
    expect(balanceOf(world, holderIn(scene))).toBe(1_000n - 2n * PART);
  });

  it('is released at any time after its limit', () => {
    const scene = done(requestParts);
    const { world } = scene;
    const limit = lastRound(world.now);
    world.setTime(limit + ROUND_OPEN_SECONDS + 1n);
    must(world.sendToLayer(release(scene, 1)));
  });

  it('goes to another wallet in its round, or at a time of its own', () => {
    const scene = done(requestParts);
    const { world } = scene;
    const holder = holderIn(scene);
    const stay = build.redirectWithdrawal(holder, OTHER_WALLET, undefined, 0n, 1, 1);
    const [before, after] = [part(scene, {}), part(scene, { wallet: OTHER_WALLET })];
    expect(effectOf(redirectWithdrawal, scene, stay).changes).toEqual({
      personal: { 'withdrawal 0': [before, after] },
    });
    const leave = build.redirectWithdrawal(holder, WALLET, undefined, world.now + 60n, 1);
    expect(effectOf(redirectWithdrawal, scene, leave).changes).toEqual({
      personal: { 'withdrawal 0': [after, { ...before, inRound: 0, dueAt: world.now + 60n }] },
    });
    // It is no part any more, and nothing joins a round later.
    expect(refusal(redirectWithdrawal, scene, stay)).toBe('InvalidData');
    world.setTime(nextRound(scene));
    must(world.sendToLayer(release(scene, 1)));
    expect(refusal(redirectWithdrawal, scene, stay)).toBe('InvalidData');
  });

  it('is cancelled by its owner, and taken out at once', () => {
    const scene = done(requestParts);
    const { world } = scene;
    must(world.sendToLayer(build.cancelWithdrawal(holderIn(scene), undefined, 1)));
    const { changes } = effectOf(requestWithdrawal, scene, build.requestWithdrawal(holderIn(scene), PART, WALLET));
    expect(changes.counter).toEqual({ next: [1n, 2n], requested: [0n, PART] });
  });
});

describe('a part that stands ready', () => {
  /** Two of them, of a balance of 1,000: one is more than there is. */
  const standing = () => {
    const scene = done(settle);
    const stand = (size: bigint, wallet = WALLET) => build.requestParts(holderIn(scene), size, [wallet], undefined, 1);
    const effects = [stand(PART), stand(1_001n, OTHER_WALLET)].map((call) => effectOf(requestParts, scene, call));
    return { scene, effects };
  };
  const ready = (change: object) => underWay({ inRound: 2, ...change });

  it('takes nothing of the balance, and may be of more than there is', () => {
    const { effects, scene } = standing();
    expect(effects.map(({ changes }) => changes)).toEqual([
      { personal: { watched: [0, 1], nextId: [1, 2], 'withdrawal 0': [undefined, ready({ amount: PART })] } },
      {
        personal: {
          nextId: [2, 3],
          'withdrawal 1': [undefined, ready({ id: 2, amount: 1_001n, wallet: OTHER_WALLET })],
        },
      },
    ]);
    expect(effects[0]?.events).toEqual([{ __kind: 'StandingOrderSet' }]);
    // All of the balance can be taken out meanwhile.
    must(scene.world.sendToLayer(build.requestWithdrawal(holderIn(scene), 1_000n, WALLET)));
  });

  it('is begun once the balance has as much, for the last round within its limit', () => {
    const { scene } = standing();
    const { changes, events } = effectOf(executeOrder, scene, release(scene, 1));
    expect(changes).toEqual({
      personal: {
        waits: [0, 1],
        waiting: [0n, PART],
        'withdrawal 0': [ready({ amount: PART }), part(scene, {})],
      },
    });
    expect(events).toEqual([{ __kind: 'WithdrawalPlanned' }]);
    expect(refusal(executeOrder, scene, release(scene, 2))).toBe('OrderNotDue');
  });

  it('is begun of what nothing else waits for', () => {
    const { scene } = standing();
    must(scene.world.sendToLayer(ask(scene, 1, 701n)));
    expect(refusal(executeOrder, scene, release(scene, 1))).toBe('OrderNotDue');
    must(scene.world.sendToLayer(build.cancelWithdrawal(holderIn(scene), undefined, 3)));
    must(scene.world.sendToLayer(release(scene, 1)));
  });

  it('is cancelled by its owner, and goes to another wallet, but not before it is begun', () => {
    const { scene } = standing();
    const holder = holderIn(scene);
    const stay = build.redirectWithdrawal(holder, OTHER_WALLET, undefined, 0n, 1, 1);
    expect(effectOf(redirectWithdrawal, scene, stay).changes.personal).toEqual({
      'withdrawal 0': [ready({ amount: PART }), ready({ amount: PART, wallet: OTHER_WALLET })],
    });
    for (const dueAt of [0n, scene.world.now + 60n]) {
      const leave = build.redirectWithdrawal(holder, WALLET, undefined, dueAt, 1);
      expect(refusal(redirectWithdrawal, scene, leave)).toBe('InvalidData');
    }
    for (const id of [1, 2]) must(scene.world.sendToLayer(build.cancelWithdrawal(holder, undefined, id)));
    expect(withdrawalsOf(scene.world, holder)).toEqual([]);
    expect(refusal(executeOrder, scene, release(scene, 1))).toBe('NoWithdrawalPending');
  });

  it('is of something, for a wallet, in a place of its own, and stands or does not', () => {
    const scene = done(settle);
    const stand = (size: bigint, count: number, stands = 1, wallet = WALLET) => {
      const wallets = Array.from({ length: count }, () => wallet);
      return build.requestParts(holderIn(scene), size, wallets, undefined, stands);
    };
    expect(refusal(requestParts, scene, stand(0n, 1))).toBe('ZeroAmount');
    expect(refusal(requestParts, scene, stand(PART, 0))).toBe('InvalidData');
    expect(refusal(requestParts, scene, stand(PART, 1, 2))).toBe('InvalidData');
    expect(refusal(requestParts, scene, stand(PART, 17))).toBe('TooManyWithdrawals');
    expect(refusal(requestParts, scene, stand(PART, 1, 1, scene.token.pool))).toBe('InvalidWallet');
  });
});
