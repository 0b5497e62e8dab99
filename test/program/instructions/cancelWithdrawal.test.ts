import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { WALLET } from '../fixtures/constants.ts';
import { cancelWithdrawal, confirmWithdrawal, executeOrder, holderIn, requestWithdrawal } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { NOBODY } from './support/window.ts';

describe('cancel_withdrawal', () => {
  it('ends the withdrawal that waits, and leaves the money in the balance', () => {
    const { changes, events } = effectIn(cancelWithdrawal);
    expect(changes).toEqual({
      balance: {
        attention: [2, 0],
        pendingAmount: [600n, 0n],
        pendingWallet: [WALLET, NOBODY],
        dueAt: [expect.any(BigInt), 0n],
      },
    });
    expect(events).toEqual([{ __kind: 'WithdrawalCancelled' }]);
  });

  it('lets nothing leave at the time that was drawn, and another withdrawal begin at once', () => {
    const scene = done(cancelWithdrawal);
    const { world } = scene;
    world.setTime(world.now + 86_400n);
    expect(refusal(executeOrder, scene, build.executeOrder(world, holderIn(scene)))).toBe('OrderNotDue');
    const { changes } = effectOf(requestWithdrawal, scene, build.requestWithdrawal(holderIn(scene), 1_000n, WALLET));
    expect(changes.balance).toMatchObject({ amount: [1_000n, 0n], pendingNumber: [0n, 1n] });
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

  it('refuses one that has its number: asked for, or issued', () => {
    for (const stage of [requestWithdrawal, confirmWithdrawal]) {
      const scene = done(stage);
      expect(refusal(cancelWithdrawal, scene, build.cancelWithdrawal(holderIn(scene)))).toBe('WithdrawalReleased');
    }
  });
});
