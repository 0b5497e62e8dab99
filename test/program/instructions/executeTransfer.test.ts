import { type Holder, payeeOf } from '@payouts/testing/litesvm/handles';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { DAY, WALLET } from '../fixtures/constants.ts';
import {
  executeTransfer,
  holderIn,
  type LossScene,
  loseLayer,
  payeeIn,
  redeem,
  requestTransfer,
  requestWithdrawal,
  settle,
  TRANSFERRED,
} from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { balanceOf, liabilitiesNow, recordNow } from '../harness/read.ts';
import { effectIn, effectOf, refusal, refusalOfSecond } from './support/call.ts';
import { moved, taken } from './support/slots.ts';

type Scene = ReturnType<typeof executeTransfer.prepare>['scene'];
const execute = (scene: Scene, place = payeeIn(scene), id = 1) =>
  build.executeTransfer(scene.world, holderIn(scene), place, id);

describe('execute_transfer', () => {
  it('moves the amount from the balance to the place that becomes the payment code’s', () => {
    const { changes, events, scene } = effectIn(executeTransfer);
    const page = { ...moved(holderIn(scene), 1_000n, 1_000n - TRANSFERRED), ...taken(payeeIn(scene), TRANSFERRED) };
    expect(changes).toMatchObject({
      personal: {
        waits: [1, 0],
        pays: [1, 0],
        waiting: [TRANSFERRED, 0n],
        'withdrawal 0': [expect.anything(), undefined],
      },
      page,
      counter: { transfers: [0n, 1n] },
    });
    expect(events).toEqual([{ __kind: 'TransferMade' }]);
  });

  it('adds to what the code has', () => {
    const scene = done(executeTransfer);
    must(scene.world.sendToLayer(build.requestTransfer(holderIn(scene), 100n, payeeIn(scene).owner)));
    effectOf(executeTransfer, scene, execute(scene, payeeIn(scene), 2));
    expect(balanceOf(scene.world, payeeIn(scene))).toBe(TRANSFERRED + 100n);
    expect(balanceOf(scene.world, holderIn(scene))).toBe(900n - TRANSFERRED);
  });

  it('pays a balance of a list, too, if that is the code', () => {
    const scene = done(settle);
    const other = holderIn(scene, 1);
    const before = balanceOf(scene.world, other);
    must(scene.world.sendToLayer(build.requestTransfer(holderIn(scene), 100n, other.owner)));
    effectOf(executeTransfer, scene, execute(scene, other));
    expect(balanceOf(scene.world, other)).toBe(before + 100n);
  });

  it('pays nobody else than the code', () => {
    const scene = done(requestTransfer);
    expect(refusal(executeTransfer, scene, execute(scene, holderIn(scene, 1)))).toBe('NotOwner');
    // The sender's own place is another owner's, too.
    expect(refusal(executeTransfer, scene, execute(scene, holderIn(scene)))).toBe('NotOwner');
    const beyond = { ...payeeIn(scene), slot: 240 };
    expect(refusal(executeTransfer, scene, execute(scene, beyond))).toBe('InvalidAccount');
  });

  it('moves it once', () => {
    expect(refusalOfSecond(executeTransfer)).toBe('NoWithdrawalPending');
  });

  it('moves no withdrawal', () => {
    const scene = done(settle);
    const dueAt = scene.world.now + BigInt(DAY);
    must(scene.world.sendToLayer(build.requestWithdrawal(holderIn(scene), 100n, WALLET, undefined, dueAt)));
    expect(refusal(executeTransfer, scene, execute(scene))).toBe('WrongWay');
    must(scene.world.sendToLayer(build.requestWithdrawal(holderIn(scene), 100n, WALLET)));
    expect(refusal(executeTransfer, scene, execute(scene, payeeIn(scene), 2))).toBe('WrongWay');
  });

  it('lets a payee take out what came, like any balance', () => {
    const scene = done(executeTransfer);
    const payee = payeeOf(holderIn(scene, 1).recipient, scene.token);
    must(scene.world.sendToLayer(build.openPersonal(scene.world, payee)));
    const call = build.requestWithdrawal(payee, TRANSFERRED, WALLET);
    const { changes } = effectOf(requestWithdrawal, scene, call);
    expect(changes.page).toEqual(moved(payee, TRANSFERRED, 0n));
  });

  describe('if the layer is lost', () => {
    const lostAfter = (scene: Scene, holders: readonly Holder[], then: () => void = () => {}) => {
      const { world, token } = scene;
      const tree = liabilitiesNow(world, holders, []);
      must(world.base.send(build.recordLiabilities(world, token, recordNow(world, token, tree))));
      then();
      loseLayer(world);
      return (holder: Holder) => {
        world.base.fund(holder.recipient);
        world.openTokenAccount(holder.recipient, token);
        const leaf = tree.balance(tree.balances.findIndex((one) => one.holder === holder));
        const { tokens } = effectOf(redeem, scene as LossScene, build.redeem(world, holder, leaf)).changes
          .destinationToken as { tokens: [bigint, bigint] };
        return tokens[1] - tokens[0];
      };
    };

    it('before a recording has it, is the sender’s money still', () => {
      const scene = done(requestTransfer);
      const move = () => must(scene.world.sendToLayer(execute(scene)));
      const redeemed = lostAfter(scene, scene.list.holders, move);
      expect(redeemed(holderIn(scene))).toBe(1_000n);
    });

    it('after a recording that has it, is the payee’s', () => {
      const scene = done(executeTransfer);
      const payee = payeeIn(scene);
      const redeemed = lostAfter(scene, [...scene.list.holders, payee]);
      expect(redeemed(holderIn(scene))).toBe(1_000n - TRANSFERRED);
      expect(redeemed(payee)).toBe(TRANSFERRED);
    });
  });
});
