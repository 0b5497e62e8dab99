import { addressFromBytes } from '@payouts/client';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { OTHER_WALLET, WALLET } from '../fixtures/constants.ts';
import {
  cancelWithdrawal,
  executeOrder,
  executeTransfer,
  holderIn,
  payeeIn,
  redirectWithdrawal,
  requestTransfer,
  requestWithdrawal,
  settle,
  TRANSFERRED,
} from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { underWay } from './support/slots.ts';

type Scene = ReturnType<typeof requestTransfer.prepare>['scene'];
const transfer = (scene: Scene, change: object = {}) =>
  underWay({ amount: TRANSFERRED, wallet: addressFromBytes(payeeIn(scene).owner), toCode: 1, ...change });
const pay = (scene: Scene, amount: bigint, code = payeeIn(scene).owner) =>
  build.requestTransfer(holderIn(scene), amount, code);

describe('request_transfer', () => {
  it('has an amount wait for its payment code, and takes nothing out of the balance yet', () => {
    const { changes, events, scene } = effectIn(requestTransfer);
    expect(changes).toEqual({
      personal: {
        waits: [0, 1],
        pays: [0, 1],
        waiting: [0n, TRANSFERRED],
        nextId: [1, 2],
        'withdrawal 0': [undefined, transfer(scene)],
      },
    });
    expect(events).toEqual([{ __kind: 'TransferPlanned' }]);
  });

  it('pays no more than is available, and something', () => {
    const scene = done(settle);
    expect(refusal(requestTransfer, scene, pay(scene, 1_001n))).toBe('InsufficientBalance');
    expect(refusal(requestTransfer, scene, pay(scene, 0n))).toBe('ZeroAmount');
    effectOf(requestTransfer, scene, pay(scene, 1_000n));
    expect(refusal(requestTransfer, scene, pay(scene, 1n))).toBe('InsufficientBalance');
    const call = build.requestWithdrawal(holderIn(scene), 1n, WALLET);
    expect(refusal(requestWithdrawal, scene, call)).toBe('InsufficientBalance');
  });

  it('pays neither nobody nor the balance itself', () => {
    const scene = done(settle);
    expect(refusal(requestTransfer, scene, pay(scene, 1n, new Uint8Array(32)))).toBe('InvalidPaymentCode');
    expect(refusal(requestTransfer, scene, pay(scene, 1n, holderIn(scene).owner))).toBe('InvalidPaymentCode');
  });

  it('has no more wait than there is room for', () => {
    const scene = done(settle);
    for (let count = 0; count < 16; count += 1) must(scene.world.sendToLayer(pay(scene, BigInt(count + 1))));
    expect(refusal(requestTransfer, scene, pay(scene, 1n))).toBe('TooManyWithdrawals');
  });

  it('is cancelled by its sender', () => {
    const scene = done(requestTransfer);
    const { changes } = effectOf(cancelWithdrawal, scene, build.cancelWithdrawal(holderIn(scene)));
    expect(changes).toEqual({
      personal: {
        waits: [1, 0],
        pays: [1, 0],
        waiting: [TRANSFERRED, 0n],
        'withdrawal 0': [transfer(scene), undefined],
      },
    });
    const call = build.executeTransfer(scene.world, holderIn(scene), payeeIn(scene));
    expect(refusal(executeTransfer, scene, call)).toBe('NoWithdrawalPending');
  });

  it('leaves for no wallet', () => {
    const scene = done(requestTransfer);
    const released = build.executeOrder(scene.world, holderIn(scene), 0n, 1);
    expect(refusal(executeOrder, scene, released)).toBe('WrongWay');
    const redirected = build.redirectWithdrawal(holderIn(scene), OTHER_WALLET);
    expect(refusal(redirectWithdrawal, scene, redirected)).toBe('WrongWay');
  });
});
