import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { REQUESTED, WALLET } from '../fixtures/constants.ts';
import { actionOf } from '../fixtures/delegationProgram.ts';
import { confirmWithdrawal, holderIn, recordLiabilities, requestWithdrawal, settle } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { placeBalance } from '../harness/write.ts';
import { effectOf, refusal } from './support/call.ts';
import { NOBODY } from './support/window.ts';
import { confirm, cover, order, request, withdrawTo } from './support/withdrawal.ts';

/** Seconds until a withdrawal is issued again. */
const AGAIN = 30n;

describe('confirm_withdrawal', () => {
  it('issues a covered withdrawal: a base action that names wallet, number and amount, and nobody else', () => {
    const { scene, instruction } = confirmWithdrawal.prepare();
    const { world, token } = scene;
    const { changes, events } = effectOf(confirmWithdrawal, scene, instruction);
    expect(changes).toEqual({ balance: { dueAt: [0n, world.now + AGAIN] } });
    expect(events).toEqual([{ __kind: 'WithdrawalIssued', number: 1n }]);
    const { escrow, ...action } = actionOf(
      build.payOut(world, token, { number: 1n, amount: REQUESTED, wallet: WALLET }),
    );
    expect(world.actions).toEqual([action]);
    expect(escrow).toBe(token.escrow);
  });

  it('issues again after 30 seconds, and not before', () => {
    const { scene, instruction } = confirmWithdrawal.prepare();
    const { world } = scene;
    const issued = world.now;
    effectOf(confirmWithdrawal, scene, instruction);
    expect(refusal(confirmWithdrawal, scene, instruction)).toBe('WithdrawalUnderWay');
    world.setTime(issued + AGAIN - 1n);
    expect(refusal(confirmWithdrawal, scene, instruction)).toBe('WithdrawalUnderWay');
    world.setTime(issued + AGAIN);
    const { changes, events } = effectOf(confirmWithdrawal, scene, instruction);
    expect(changes).toEqual({ balance: { dueAt: [issued + AGAIN, issued + 2n * AGAIN] } });
    expect(events).toEqual([{ __kind: 'WithdrawalIssued', number: 1n }]);
    expect(world.actions).toHaveLength(2);
    expect(world.actions[0]).toEqual(world.actions[1]);
  });

  it('clears the withdrawal as soon as the base’s page shows its number', () => {
    const scene = done(confirmWithdrawal);
    const { world } = scene;
    const issued = world.now;
    world.deliver();
    const call = build.confirmWithdrawal(world, holderIn(scene), 1n);
    const { changes, events } = effectOf(confirmWithdrawal, scene, call);
    expect(changes).toEqual({
      balance: {
        attention: [1, 0],
        pendingNumber: [1n, 0n],
        pendingAmount: [600n, 0n],
        pendingWallet: [WALLET, NOBODY],
        dueAt: [issued + AGAIN, 0n],
      },
    });
    expect(events).toEqual([{ __kind: 'WithdrawalConfirmed', number: 1n }]);
    expect(world.actions).toEqual([]);
    expect(refusal(confirmWithdrawal, scene, call)).toBe('NoWithdrawalPending');
  });

  it('keeps asking for attention when more is to leave', () => {
    const scene = done(settle);
    order(scene, 1, 500n, WALLET);
    withdrawTo(scene, 1, 1n, 600n, WALLET);
    const { changes } = effectOf(
      confirmWithdrawal,
      scene,
      build.confirmWithdrawal(scene.world, holderIn(scene, 1), 1n),
    );
    expect(changes.balance).toMatchObject({ pendingNumber: [1n, 0n] });
    expect(changes.balance).not.toHaveProperty('attention');
  });

  it('frees the balance for the next withdrawal, which has the next number', () => {
    const scene = done(settle);
    withdrawTo(scene, 0, 1n, 600n, WALLET);
    expect(confirm(scene, 0, 1n)).toBeUndefined();
    request(scene, 0, 400n, WALLET);
    cover(scene);
    expect(confirm(scene, 0, 2n)?.data.slice(0, 9)).toEqual(Uint8Array.of(17, 2, 0, 0, 0, 0, 0, 0, 0));
  });

  it('waits until a recorded tree knows of the withdrawal', () => {
    const scene = done(requestWithdrawal);
    const call = build.confirmWithdrawal(scene.world, holderIn(scene), 1n);
    expect(refusal(confirmWithdrawal, scene, call)).toBe('NotCovered');
    request(scene, 1, 50n, WALLET);
    expect(scene.world.actions).toEqual([]);
    cover(scene);
    // By the proof that it has now, and no other.
    expect(refusal(confirmWithdrawal, scene, call)).toBe('NotCovered');
    confirm(scene, 0, 1n);
    confirm(scene, 1, 2n);
    request(scene, 2, 50n, WALLET);
    const third = build.confirmWithdrawal(scene.world, holderIn(scene, 2), 3n);
    expect(refusal(confirmWithdrawal, scene, third)).toBe('NotCovered');
  });

  it('refuses when nothing is under way', () => {
    const scene = done(recordLiabilities);
    const idle = build.confirmWithdrawal(scene.world, holderIn(scene, 1), 1n);
    expect(refusal(confirmWithdrawal, scene, idle)).toBe('NoWithdrawalPending');
  });

  it('does not take the page of other numbers for the right one', () => {
    const { scene } = confirmWithdrawal.prepare();
    const call = build.confirmWithdrawal(scene.world, holderIn(scene), 8_192n);
    expect(refusal(confirmWithdrawal, scene, call)).toBe('InvalidAddress');
  });

  it('issues at once what an old program noted as issued: the base pays its number once', () => {
    const { scene, instruction } = confirmWithdrawal.prepare();
    const { world } = scene;
    placeBalance(world, holderIn(scene), { dueAt: world.now });
    expect(effectOf(confirmWithdrawal, scene, instruction).changes).toEqual({
      balance: { dueAt: [world.now, world.now + AGAIN] },
    });
  });

  it('leaves alone what waits for its release time', () => {
    const scene = done(settle);
    const { world } = scene;
    must(world.sendToLayer(build.requestWithdrawal(holderIn(scene), 600n, WALLET, undefined, world.now + 1n)));
    cover(scene);
    world.setTime(world.now + 2n);
    const call = build.confirmWithdrawal(world, holderIn(scene), 1n);
    expect(refusal(confirmWithdrawal, scene, call)).toBe('WithdrawalNotReleased');
  });

  it('issues what was paid already once more at most: the base refuses the number', () => {
    const { scene, instruction } = confirmWithdrawal.prepare();
    const { world } = scene;
    effectOf(confirmWithdrawal, scene, instruction);
    world.setTime(world.now + AGAIN);
    effectOf(confirmWithdrawal, scene, instruction);
    const [first, second] = world.actions;
    if (first === undefined || second === undefined) throw new Error('not issued twice');
    must(world.act(first));
    expect(world.act(second).failure).toBe('WithdrawalAlreadyPaid');
    expect(effectOf(confirmWithdrawal, scene, instruction).events).toEqual([
      { __kind: 'WithdrawalConfirmed', number: 1n },
    ]);
  });
});
