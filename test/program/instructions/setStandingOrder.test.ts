import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { OTHER_WALLET, WALLET } from '../fixtures/constants.ts';
import { holderIn, requestWithdrawal, setStandingOrder, settle } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { readPersonal } from '../harness/read.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { NOBODY } from './support/window.ts';

describe('set_standing_order', () => {
  it('notes threshold and wallet, and that something is to leave by itself', () => {
    const { changes, events } = effectIn(setStandingOrder);
    expect(changes).toEqual({
      personal: { watched: [0, 1], orderThreshold: [0n, 900n], orderWallet: [NOBODY, WALLET] },
    });
    expect(events).toEqual([{ __kind: 'StandingOrderSet' }]);
  });

  it('takes the place of another order', () => {
    const scene = done(setStandingOrder);
    const { changes } = effectOf(
      setStandingOrder,
      scene,
      build.setStandingOrder(holderIn(scene), 1_001n, OTHER_WALLET),
    );
    expect(changes).toEqual({ personal: { orderThreshold: [900n, 1_001n], orderWallet: [WALLET, OTHER_WALLET] } });
  });

  it('takes an order back, with its wallet', () => {
    const scene = done(setStandingOrder);
    const { changes, events } = effectOf(setStandingOrder, scene, build.setStandingOrder(holderIn(scene), 0n, WALLET));
    expect(changes).toEqual({
      personal: { watched: [1, 0], orderThreshold: [900n, 0n], orderWallet: [WALLET, NOBODY] },
    });
    expect(events).toEqual([{ __kind: 'StandingOrderSet' }]);
    const again = effectOf(setStandingOrder, scene, build.setStandingOrder(holderIn(scene), 0n, NOBODY));
    expect(again.changes).toEqual({});
  });

  it('notes part and delays, and takes them back with the order', () => {
    const scene = done(settle);
    const terms = { part: 900n, delayMin: 65_534, delayMax: 65_535 };
    const call = build.setStandingOrder(holderIn(scene), 900n, WALLET, undefined, terms);
    const { changes } = effectOf(setStandingOrder, scene, call);
    expect(changes.personal).toEqual({
      watched: [0, 1],
      orderThreshold: [0n, 900n],
      orderWallet: [NOBODY, WALLET],
      orderPart: [0n, 900n],
      orderDelayMin: [0, 65_534],
      orderDelayMax: [0, 65_535],
    });
    const end = build.setStandingOrder(holderIn(scene), 0n, WALLET, undefined, { ...terms, delayMax: 0 });
    expect(effectOf(setStandingOrder, scene, end).changes.personal).toEqual({
      watched: [1, 0],
      orderThreshold: [900n, 0n],
      orderWallet: [WALLET, NOBODY],
      orderPart: [900n, 0n],
      orderDelayMin: [65_534, 0],
      orderDelayMax: [65_535, 0],
    });
  });

  it('leaves noted what else is to leave: a withdrawal under way, and a delivery', () => {
    const scene = done(requestWithdrawal);
    for (const [index, noted] of [
      [0, { numbered: 1, watched: 0 }],
      [3, { numbered: 0, watched: 1 }],
    ] as const) {
      const holder = holderIn(scene, index);
      effectOf(setStandingOrder, scene, build.setStandingOrder(holder, 1n, WALLET));
      const { changes } = effectOf(setStandingOrder, scene, build.setStandingOrder(holder, 0n, WALLET));
      expect(changes.personal).toMatchObject({ orderThreshold: [1n, 0n], orderWallet: [WALLET, NOBODY] });
      expect(readPersonal(scene.world, holder)).toMatchObject(noted);
    }
  });

  describe('refuses', () => {
    const scene = done(settle);
    it.each([
      [
        'a part above the threshold',
        build.setStandingOrder(holderIn(scene), 900n, WALLET, undefined, { part: 901n }),
        'InvalidData',
      ],
      [
        'delays that end before they begin',
        build.setStandingOrder(holderIn(scene), 900n, WALLET, undefined, { delayMin: 2, delayMax: 1 }),
        'InvalidData',
      ],
      ['an order to nobody', build.setStandingOrder(holderIn(scene), 1n, NOBODY), 'InvalidWallet'],
      ['an order to the pool', build.setStandingOrder(holderIn(scene), 1n, scene.token.pool), 'InvalidWallet'],
    ])('%s', (_, instruction, error) => {
      expect(refusal(setStandingOrder, scene, instruction)).toBe(error);
    });
  });
});
