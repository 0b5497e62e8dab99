import { associatedToken } from '@payouts/testing/litesvm/handles';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { OTHER_WALLET, WALLET } from '../fixtures/constants.ts';
import {
  confirmWithdrawal,
  executeOrder,
  holderIn,
  redirectWithdrawal,
  requestWithdrawal,
  settle,
} from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { withdrawalsOf } from '../harness/read.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { moved, underWay } from './support/slots.ts';
import { NOBODY } from './support/window.ts';
import { confirm, cover, request } from './support/withdrawal.ts';

describe('redirect_withdrawal', () => {
  it('changes the wallet of the withdrawal under way, and nothing else', () => {
    const { changes, events } = effectIn(redirectWithdrawal);
    const before = underWay({ number: 1n });
    expect(changes).toEqual({ personal: { 'withdrawal 0': [before, { ...before, wallet: OTHER_WALLET }] } });
    expect(events).toEqual([{ __kind: 'WithdrawalRedirected', number: 1n }]);
  });

  it('keeps number and time of issue, so that the other wallet is paid from the next issue on', () => {
    const scene = done(confirmWithdrawal);
    const { world, token } = scene;
    const issued = world.now;
    const call = build.redirectWithdrawal(holderIn(scene), OTHER_WALLET);
    const before = underWay({ number: 1n, dueAt: issued + 30n });
    expect(effectOf(redirectWithdrawal, scene, call).changes).toEqual({
      personal: { 'withdrawal 0': [before, { ...before, wallet: OTHER_WALLET }] },
    });
    const [first] = world.actions.splice(0);
    world.setTime(issued + 30n);
    const again = build.confirmWithdrawal(world, holderIn(scene), 1n);
    expect(refusal(confirmWithdrawal, scene, again)).toBe('NotCovered');
    cover(scene);
    const second = confirm(scene, 0, 1n);
    if (first === undefined || second === undefined) throw new Error('not issued twice');
    // What was issued to the first wallet is void once the second is recorded.
    expect(world.act(first).failure).toBe('NotCovered');
    must(world.act(second));
    expect(world.act(first).failure).toBe('NotCovered');
    expect(confirm(scene, 0, 1n)).toBeUndefined();
    expect(world.base.tokens(associatedToken(OTHER_WALLET, token.mint, token.program))).toBe(600n);
    expect(world.base.tokens(associatedToken(WALLET, token.mint, token.program))).toBe(0n);
    expect(withdrawalsOf(world, holderIn(scene))).toEqual([]);
  });

  it('comes too late for a payment that is on its way: the base pays the first wallet, once', () => {
    const scene = done(confirmWithdrawal);
    const { world, token } = scene;
    must(world.sendToLayer(build.redirectWithdrawal(holderIn(scene), OTHER_WALLET)));
    world.deliver();
    expect(confirm(scene, 0, 1n)).toBeUndefined();
    expect(world.base.tokens(associatedToken(WALLET, token.mint, token.program))).toBe(600n);
    const late = build.redirectWithdrawal(holderIn(scene), OTHER_WALLET);
    expect(refusal(redirectWithdrawal, scene, late)).toBe('NoWithdrawalPending');
  });

  describe('of a withdrawal that waits for its release time', () => {
    const waiting = () => {
      const scene = done(settle);
      const { world } = scene;
      const dueAt = world.now + 1_000n;
      must(world.sendToLayer(build.requestWithdrawal(holderIn(scene), 600n, WALLET, undefined, dueAt)));
      const redirect = (at: bigint, wallet = WALLET) =>
        build.redirectWithdrawal(holderIn(scene), wallet, undefined, at);
      return { scene, world, dueAt, redirect };
    };

    it('hurries it: it can be released at once', () => {
      const { scene, world, dueAt, redirect } = waiting();
      const { changes, events } = effectOf(redirectWithdrawal, scene, redirect(world.now, OTHER_WALLET));
      expect(changes).toEqual({
        personal: { 'withdrawal 0': [underWay({ dueAt }), underWay({ wallet: OTHER_WALLET })] },
      });
      expect(events).toEqual([{ __kind: 'WithdrawalRedirected', number: 0n }]);
      const { changes: released } = effectOf(executeOrder, scene, build.executeOrder(world, holderIn(scene), 0n, 1));
      expect(released.page).toEqual(moved(holderIn(scene), 1_000n, 400n));
    });

    it('puts it off, or forward, within 90 days', () => {
      const { scene, world, dueAt, redirect } = waiting();
      const latest = world.now + 90n * 86_400n;
      expect(refusal(redirectWithdrawal, scene, redirect(latest + 1n))).toBe('InvalidReleaseTime');
      const { changes } = effectOf(redirectWithdrawal, scene, redirect(latest));
      expect(changes).toEqual({ personal: { 'withdrawal 0': [underWay({ dueAt }), underWay({ dueAt: latest })] } });
      const { changes: forward } = effectOf(redirectWithdrawal, scene, redirect(world.now + 1n));
      const soon = underWay({ dueAt: world.now + 1n });
      expect(forward).toEqual({ personal: { 'withdrawal 0': [underWay({ dueAt: latest }), soon] } });
      const early = build.executeOrder(world, holderIn(scene), 0n, 1);
      expect(refusal(executeOrder, scene, early)).toBe('WithdrawalNotReleased');
    });
  });

  it('puts off one that has its number, and never has it issued the sooner', () => {
    const scene = done(confirmWithdrawal);
    const { world } = scene;
    const again = world.now + 30n;
    for (const at of [0n, again - 1n]) {
      must(world.sendToLayer(build.redirectWithdrawal(holderIn(scene), WALLET, undefined, at)));
      expect(withdrawalsOf(world, holderIn(scene))).toEqual([underWay({ number: 1n, dueAt: again })]);
    }
    must(world.sendToLayer(build.redirectWithdrawal(holderIn(scene), WALLET, undefined, again + 1n)));
    world.setTime(again);
    const call = build.confirmWithdrawal(world, holderIn(scene), 1n);
    expect(refusal(confirmWithdrawal, scene, call)).toBe('WithdrawalUnderWay');
    world.setTime(again + 1n);
    effectOf(confirmWithdrawal, scene, call);
  });

  it('sends on the one of several that it names', () => {
    const scene = done(requestWithdrawal);
    request(scene, 0, 100n, WALLET);
    const second = build.redirectWithdrawal(holderIn(scene), OTHER_WALLET, undefined, 0n, 2);
    const { events } = effectOf(redirectWithdrawal, scene, second);
    expect(events).toEqual([{ __kind: 'WithdrawalRedirected', number: 2n }]);
    expect(withdrawalsOf(scene.world, holderIn(scene)).map(({ wallet }) => wallet)).toEqual([WALLET, OTHER_WALLET]);
    const third = build.redirectWithdrawal(holderIn(scene), OTHER_WALLET, undefined, 0n, 3);
    expect(refusal(redirectWithdrawal, scene, third)).toBe('NoWithdrawalPending');
  });

  describe('refuses', () => {
    const scene = done(requestWithdrawal);
    it.each([
      ['a wallet that is nobody', build.redirectWithdrawal(holderIn(scene), NOBODY), 'InvalidWallet'],
      ['the pool for a wallet', build.redirectWithdrawal(holderIn(scene), scene.token.pool), 'InvalidWallet'],
      ['when nothing is under way', build.redirectWithdrawal(holderIn(scene, 1), OTHER_WALLET), 'NoWithdrawalPending'],
    ])('%s', (_, instruction, error) => {
      expect(refusal(redirectWithdrawal, scene, instruction)).toBe(error);
    });
  });
});
