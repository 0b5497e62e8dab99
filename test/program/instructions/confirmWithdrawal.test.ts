import type { Withdrawing } from '@payouts/client';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { OTHER_WALLET, REQUESTED, WALLET } from '../fixtures/constants.ts';
import { actionOf } from '../fixtures/delegationProgram.ts';
import { confirmWithdrawal, holderIn, recordLiabilities, requestWithdrawal, settle } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { readPersonal, withdrawalsOf } from '../harness/read.ts';
import { provenIn } from '../harness/withdrawals.ts';
import { placePersonal } from '../harness/write.ts';
import { effectOf, refusal } from './support/call.ts';
import { underWay } from './support/slots.ts';
import { confirm, cover, order, request, withdrawTo } from './support/withdrawal.ts';

/** Seconds until a withdrawal is issued again. */
const AGAIN = 30n;

/** How the fixture's withdrawal changes when it is issued. */
const issued = (before: bigint, next: bigint) => ({
  personal: { 'withdrawal 0': [underWay({ number: 1n, dueAt: before }), underWay({ number: 1n, dueAt: next })] },
});

describe('confirm_withdrawal', () => {
  it('issues a covered withdrawal: a base action that names wallet, number and amount, and nobody else', () => {
    const { scene, instruction } = confirmWithdrawal.prepare();
    const { world, token } = scene;
    const { changes, events } = effectOf(confirmWithdrawal, scene, instruction);
    expect(changes).toEqual(issued(0n, world.now + AGAIN));
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
    const first = world.now;
    effectOf(confirmWithdrawal, scene, instruction);
    expect(refusal(confirmWithdrawal, scene, instruction)).toBe('WithdrawalUnderWay');
    world.setTime(first + AGAIN - 1n);
    expect(refusal(confirmWithdrawal, scene, instruction)).toBe('WithdrawalUnderWay');
    world.setTime(first + AGAIN);
    const { changes, events } = effectOf(confirmWithdrawal, scene, instruction);
    expect(changes).toEqual(issued(first + AGAIN, first + 2n * AGAIN));
    expect(events).toEqual([{ __kind: 'WithdrawalIssued', number: 1n }]);
    expect(world.actions).toHaveLength(2);
    expect(world.actions[0]).toEqual(world.actions[1]);
  });

  it('clears the withdrawal as soon as the base’s page shows its number', () => {
    const scene = done(confirmWithdrawal);
    const { world } = scene;
    const dueAt = world.now + AGAIN;
    world.deliver();
    const call = build.confirmWithdrawal(world, holderIn(scene), 1n);
    const { changes, events } = effectOf(confirmWithdrawal, scene, call);
    expect(changes).toEqual({
      personal: { numbered: [1, 0], 'withdrawal 0': [underWay({ number: 1n, dueAt }), undefined] },
    });
    expect(events).toEqual([{ __kind: 'WithdrawalConfirmed', number: 1n }]);
    expect(world.actions).toEqual([]);
    expect(refusal(confirmWithdrawal, scene, call)).toBe('NoWithdrawalPending');
  });

  it('leaves noted what else is to leave', () => {
    const scene = done(settle);
    order(scene, 1, 500n, WALLET);
    withdrawTo(scene, 1, 1n, 600n, WALLET);
    request(scene, 1, 100n, WALLET);
    const call = build.confirmWithdrawal(scene.world, holderIn(scene, 1), 1n);
    const { changes } = effectOf(confirmWithdrawal, scene, call);
    expect(Object.keys(changes.personal ?? {})).toEqual(['withdrawal 0']);
    expect(readPersonal(scene.world, holderIn(scene, 1))).toMatchObject({ numbered: 1, watched: 1 });
  });

  it('issues and clears the one of several that it names', () => {
    const scene = done(requestWithdrawal);
    const { world } = scene;
    request(scene, 0, 100n, OTHER_WALLET);
    cover(scene);
    const { changes } = effectOf(confirmWithdrawal, scene, build.confirmWithdrawal(world, holderIn(scene), 2n));
    expect(changes.personal).toEqual({
      'withdrawal 1': [
        underWay({ number: 2n, amount: 100n, wallet: OTHER_WALLET, id: 2 }),
        underWay({ number: 2n, amount: 100n, wallet: OTHER_WALLET, id: 2, dueAt: world.now + AGAIN }),
      ],
    });
    world.deliver();
    expect(confirm(scene, 0, 2n)).toBeUndefined();
    expect(withdrawalsOf(world, holderIn(scene))).toEqual([underWay({ number: 1n })]);
  });

  it('refuses the proof of another withdrawal than the one it names', () => {
    const scene = done(requestWithdrawal);
    const { world, token } = scene;
    request(scene, 0, 400n, WALLET);
    cover(scene);
    const call = build.confirmWithdrawal(world, holderIn(scene), 1n, provenIn(world, token, 2n));
    expect(refusal(confirmWithdrawal, scene, call)).toBe('NotCovered');
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
    for (const id of [0, 2]) {
      const call = build.confirmWithdrawal(scene.world, holderIn(scene), 1n, undefined, id);
      expect(refusal(confirmWithdrawal, scene, call)).toBe('NoWithdrawalPending');
    }
  });

  it('does not take the page of other numbers for the right one', () => {
    const { scene } = confirmWithdrawal.prepare();
    const call = build.confirmWithdrawal(scene.world, holderIn(scene), 8_192n);
    expect(refusal(confirmWithdrawal, scene, call)).toBe('InvalidAddress');
  });

  it('issues at once what an old program noted as issued: the base pays its number once', () => {
    const { scene, instruction } = confirmWithdrawal.prepare();
    const { world } = scene;
    const [withdrawal, ...others] = readPersonal(world, holderIn(scene)).withdrawals as [Withdrawing, ...Withdrawing[]];
    placePersonal(world, holderIn(scene), { withdrawals: [{ ...withdrawal, dueAt: world.now }, ...others] });
    expect(effectOf(confirmWithdrawal, scene, instruction).changes).toEqual(issued(world.now, world.now + AGAIN));
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
