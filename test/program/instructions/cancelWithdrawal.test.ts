import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { DAY, WALLET } from '../fixtures/constants.ts';
import { cancelWithdrawal, confirmWithdrawal, executeOrder, holderIn, requestWithdrawal } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { moved, underWay } from './support/slots.ts';

describe('cancel_withdrawal', () => {
  it('ends the withdrawal that waits, and leaves the money in the balance', () => {
    const { changes, events, scene } = effectIn(cancelWithdrawal);
    const dueAt = scene.world.now + BigInt(DAY);
    expect(changes).toEqual({
      personal: { waits: [1, 0], waiting: [600n, 0n], 'withdrawal 0': [underWay({ dueAt }), undefined] },
    });
    expect(events).toEqual([{ __kind: 'WithdrawalCancelled' }]);
  });

  it('lets nothing leave at the time that was drawn, and another withdrawal begin at once', () => {
    const scene = done(cancelWithdrawal);
    const { world } = scene;
    world.setTime(world.now + 86_400n);
    const released = build.executeOrder(world, holderIn(scene), 0n, 1);
    expect(refusal(executeOrder, scene, released)).toBe('NoWithdrawalPending');
    const { changes } = effectOf(requestWithdrawal, scene, build.requestWithdrawal(holderIn(scene), 1_000n, WALLET));
    expect(changes.page).toEqual(moved(holderIn(scene), 1_000n, 0n));
  });

  it('ends one whose time has come, as long as it has no number', () => {
    const { scene, instruction } = cancelWithdrawal.prepare();
    scene.world.setTime(scene.world.now + 2n * 86_400n);
    effectOf(cancelWithdrawal, scene, instruction);
  });

  it('is one of nothing when it is sent again', () => {
    const { scene, instruction } = cancelWithdrawal.prepare();
    must(scene.world.sendToLayer(instruction));
    expect(refusal(cancelWithdrawal, scene, instruction)).toBe('NoWithdrawalPending');
  });

  it('ends the one of several that it names', () => {
    const { scene } = cancelWithdrawal.prepare();
    const { world } = scene;
    const dueAt = world.now + 60n;
    must(world.sendToLayer(build.requestWithdrawal(holderIn(scene), 100n, WALLET, undefined, dueAt)));
    must(world.sendToLayer(build.requestWithdrawal(holderIn(scene), 50n, WALLET)));
    const cancel = (id: number) => build.cancelWithdrawal(holderIn(scene), undefined, id);
    const { changes } = effectOf(cancelWithdrawal, scene, cancel(2));
    expect(changes.personal).toEqual({
      waiting: [700n, 600n],
      'withdrawal 1': [underWay({ amount: 100n, dueAt, id: 2 }), undefined],
    });
    for (const [id, error] of [
      [0, 'NoWithdrawalPending'],
      [2, 'NoWithdrawalPending'],
      [3, 'WithdrawalReleased'],
      [4, 'NoWithdrawalPending'],
    ] as const) {
      expect(refusal(cancelWithdrawal, scene, cancel(id))).toBe(error);
    }
  });

  it('refuses one that has its number: asked for, or issued', () => {
    for (const stage of [requestWithdrawal, confirmWithdrawal]) {
      const scene = done(stage);
      expect(refusal(cancelWithdrawal, scene, build.cancelWithdrawal(holderIn(scene)))).toBe('WithdrawalReleased');
    }
  });
});
