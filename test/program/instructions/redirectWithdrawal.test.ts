import { describe, expect, it } from 'vitest';
import { confirmWithdrawal } from '../fixtures/confirmWithdrawal.ts';
import { buildRedirectWithdrawal, OTHER_WALLET, redirectWithdrawal } from '../fixtures/redirectWithdrawal.ts';
import { holderIn, requestWithdrawal, WALLET } from '../fixtures/requestWithdrawal.ts';
import { named } from '../harness/addresses.ts';
import { done } from '../harness/fixture.ts';
import { associatedToken } from '../harness/handles.ts';
import { readBalance } from '../harness/read.ts';
import { must } from '../harness/world.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { NOBODY } from './support/window.ts';
import { confirm } from './support/withdrawal.ts';

describe('redirect_withdrawal', () => {
  it('changes the wallet of the withdrawal under way, and nothing else', () => {
    const { changes, events } = effectIn(redirectWithdrawal);
    expect(changes).toEqual({ balance: { pendingWallet: [WALLET, OTHER_WALLET] } });
    expect(events).toEqual([{ __kind: 'WithdrawalRedirected', number: 1n }]);
  });

  it('keeps number and time of issue, so that the other wallet is paid from the next issue on', () => {
    const scene = done(confirmWithdrawal);
    const { world, token } = scene;
    const issued = world.now;
    const call = buildRedirectWithdrawal(holderIn(scene), OTHER_WALLET);
    expect(effectOf(redirectWithdrawal, scene, call).changes).toEqual({
      balance: { pendingWallet: [WALLET, OTHER_WALLET] },
    });
    expect(readBalance(world, holderIn(scene)).issuedAt).toBe(issued);
    const [first] = world.actions.splice(0);
    world.setTime(issued + 30n);
    const second = confirm(scene, 0, 1n);
    if (first === undefined || second === undefined) throw new Error('not issued twice');
    must(world.act(second));
    expect(world.act(first).failure).toBe('WithdrawalAlreadyPaid');
    expect(confirm(scene, 0, 1n)).toBeUndefined();
    expect(world.base.tokens(associatedToken(OTHER_WALLET, token.mint, token.program))).toBe(600n);
    expect(world.base.tokens(associatedToken(WALLET, token.mint, token.program))).toBe(0n);
    expect(readBalance(world, holderIn(scene))).toMatchObject({ pendingNumber: 0n, pendingWallet: NOBODY });
  });

  it('comes too late for a payment that is on its way: the base pays the first wallet, once', () => {
    const scene = done(confirmWithdrawal);
    const { world, token } = scene;
    must(world.sendToLayer(buildRedirectWithdrawal(holderIn(scene), OTHER_WALLET)));
    world.deliver();
    expect(confirm(scene, 0, 1n)).toBeUndefined();
    expect(world.base.tokens(associatedToken(WALLET, token.mint, token.program))).toBe(600n);
    const late = buildRedirectWithdrawal(holderIn(scene), OTHER_WALLET);
    expect(refusal(redirectWithdrawal, scene, late)).toBe('NoWithdrawalPending');
  });

  describe('refuses', () => {
    const scene = done(requestWithdrawal);
    it.each([
      ['another signer', buildRedirectWithdrawal(holderIn(scene), OTHER_WALLET, named('stranger')), 'NotRecipient'],
      ['a wallet that is nobody', buildRedirectWithdrawal(holderIn(scene), NOBODY), 'InvalidData'],
      ['when nothing is under way', buildRedirectWithdrawal(holderIn(scene, 1), OTHER_WALLET), 'NoWithdrawalPending'],
    ])('%s', (_, instruction, error) => {
      expect(refusal(redirectWithdrawal, scene, instruction)).toBe(error);
    });
  });
});
