import { addressToBytes, NO_APPROVER as NOBODY, readRecovery as stateOf } from '@payouts/client';
import { named } from '@payouts/testing/litesvm/addresses';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { DAY, OTHER_WALLET, RECOVERY_WALLET, REQUESTED, WALLET } from '../fixtures/constants.ts';
import {
  completeRecovery,
  executeOrder,
  holderIn,
  nameRecovery,
  refuseRecovery,
  requestRecovery,
  requestWithdrawal,
  type ScheduleScene,
  settle,
} from '../fixtures/index.ts';
import { authorised, keyed } from '../harness/authorisation.ts';
import { done } from '../harness/fixture.ts';
import { readBalance, readRecovery } from '../harness/read.ts';
import { placeBalance } from '../harness/write.ts';
import { created, effectIn, effectOf, refusal } from './support/call.ts';

const DELAY = 14n * BigInt(DAY);
const OTHER = named('another recovery wallet');
/** Lamports of a recovery account in the layer. */
const RENT = 32n * (96n + 60n);

const recoveryIn = (scene: ScheduleScene, place = 0) => {
  const holder = holderIn(scene, place);
  return stateOf(holder.balance, readRecovery(scene.world, holder), scene.world.now);
};
const later = (scene: ScheduleScene, seconds: bigint) => scene.world.setTime(scene.world.now + seconds);
const nameIn = (scene: ScheduleScene, wallet = OTHER) =>
  must(scene.world.sendToLayer(build.nameRecovery(holderIn(scene), wallet)));
const requestIn = (scene: ScheduleScene, by = RECOVERY_WALLET) =>
  must(scene.world.sendToLayer(build.requestRecovery(holderIn(scene), by)));
const refuseIn = (scene: ScheduleScene) => must(scene.world.sendToLayer(build.refuseRecovery(holderIn(scene))));
const complete = (scene: ScheduleScene, by = RECOVERY_WALLET, wallet = WALLET) =>
  build.completeRecovery(holderIn(scene), by, wallet);

describe('name_recovery', () => {
  it('names the first wallet at once, in an account that the counter pays for', () => {
    const { scene, changes, events } = effectIn(nameRecovery);
    expect(changes).toEqual({
      recovery: {
        ...created(12, 96),
        bump: expect.any(Number),
        wallet: expect.any(Uint8Array),
        since: scene.world.now,
      },
      counter: { lamports: -RENT },
      ephemeralVault: { lamports: expect.any(BigInt) },
    });
    expect(events).toEqual([{ __kind: 'RecoveryNamed' }]);
    expect(recoveryIn(scene)).toEqual({ wallet: RECOVERY_WALLET, change: null, completesAt: null });
  });

  it('writes neither the wallet nor the balance where whoever reads the account could see them', () => {
    const scene = done(nameRecovery);
    const { recovery, balance } = holderIn(scene);
    const bytes = Buffer.from(scene.world.layer.data(recovery));
    nameIn(scene);
    for (const each of [RECOVERY_WALLET, OTHER, balance, holderIn(scene).recipient]) {
      const plain = Buffer.from(addressToBytes(each));
      expect(bytes.includes(plain) || Buffer.from(scene.world.layer.data(recovery)).includes(plain)).toBe(false);
    }
  });

  it('lets another wallet take its place after fourteen days, and nobody', () => {
    for (const [wallet, named] of [
      [OTHER, OTHER],
      [NOBODY, null],
    ] as const) {
      const scene = done(nameRecovery);
      nameIn(scene, wallet);
      const from = scene.world.now + DELAY;
      expect(recoveryIn(scene)).toMatchObject({ wallet: RECOVERY_WALLET, change: { wallet: named, from } });
      later(scene, DELAY - 1n);
      expect(refusal(requestRecovery, scene, build.requestRecovery(holderIn(scene), OTHER))).toBe('NotRecoveryWallet');
      later(scene, 1n);
      expect(recoveryIn(scene)).toMatchObject({ wallet: named, change: null });
      const request = build.requestRecovery(holderIn(scene), RECOVERY_WALLET);
      expect(refusal(requestRecovery, scene, request)).toBe('NotRecoveryWallet');
      if (named !== null) requestIn(scene, named);
      // Where nobody is, the next one is named at once.
      else nameIn(scene, OTHER);
      expect(recoveryIn(scene).wallet).toBe(OTHER);
    }
  });

  it('begins the fourteen days anew with another change, and drops it with the present wallet', () => {
    const scene = done(nameRecovery);
    nameIn(scene);
    later(scene, DELAY - 1n);
    nameIn(scene, NOBODY);
    expect(recoveryIn(scene).change?.from).toBe(scene.world.now + DELAY);
    nameIn(scene, RECOVERY_WALLET);
    later(scene, DELAY);
    expect(recoveryIn(scene)).toEqual({ wallet: RECOVERY_WALLET, change: null, completesAt: null });
  });

  it('refuses the recipient themselves, nobody where nobody is, and another token’s counter', () => {
    const scene = done(settle);
    const holder = holderIn(scene);
    expect(refusal(nameRecovery, scene, build.nameRecovery(holder, holder.recipient))).toBe('InvalidWallet');
    expect(refusal(nameRecovery, scene, build.nameRecovery(holder, NOBODY))).toBe('NotRecoveryWallet');
    const other = done(settle);
    const token = other.world.createToken('B');
    must(other.world.base.send(build.initPool(other.world, token)));
    must(other.world.base.send(build.initCounter(other.world, token)));
    const wrong = build.nameRecovery({ ...holderIn(other), token }, WALLET);
    expect(refusal(nameRecovery, other, wrong)).toBe('InvalidAccount');
  });

  it('refuses the account of another balance, before and after it exists', () => {
    const scene = done(settle);
    const [one, other] = [holderIn(scene), holderIn(scene, 1)];
    const wrong = build.nameRecovery({ ...one, recovery: other.recovery }, WALLET);
    expect(refusal(nameRecovery, scene, wrong)).toBe('InvalidAddress');
    must(scene.world.sendToLayer(build.nameRecovery(other, WALLET)));
    expect(refusal(nameRecovery, scene, wrong)).toBe('InvalidAddress');
  });

  it('is for a thousand balances of a token, and says when no more can be named', () => {
    const scene = done(settle);
    const { world, token } = scene;
    const counter = world.layer.account(token.counter);
    if (counter === undefined) throw new Error('there is no counter');
    const rent = world.base.minimumBalance(counter.data.length);
    expect(counter.lamports).toBe(rent + 1_000n * RENT);
    world.layer.place({ ...counter, lamports: rent + 2n * RENT - 1n });
    nameIn(scene);
    const second = build.nameRecovery(holderIn(scene, 1), WALLET);
    expect(refusal(nameRecovery, scene, second)).toBe('RecoveryUnfunded');
    nameIn(scene, RECOVERY_WALLET);
  });
});

describe('request_recovery', () => {
  it('begins fourteen days, and changes nothing of the balance', () => {
    const { scene, changes, events } = effectIn(requestRecovery);
    expect(changes).toEqual({ recovery: { dueAt: [0n, scene.world.now + DELAY] } });
    expect(events).toEqual([{ __kind: 'RecoveryRequested' }]);
  });

  it('is refused while one is under way, so that nobody puts off or hurries it', () => {
    const scene = done(requestRecovery);
    later(scene, 1n);
    const again = build.requestRecovery(holderIn(scene), RECOVERY_WALLET);
    expect(refusal(requestRecovery, scene, again)).toBe('RecoveryUnderWay');
  });

  it('is refused where nobody was named, for another balance, and by the account of another one', () => {
    const scene = done(settle);
    const ask = (holder = holderIn(scene)) => build.requestRecovery(holder, RECOVERY_WALLET);
    expect(refusal(requestRecovery, scene, ask())).toBe('InvalidAccount');
    nameIn(scene, RECOVERY_WALLET);
    expect(refusal(requestRecovery, scene, ask(holderIn(scene, 1)))).toBe('InvalidAccount');
    const mixed = { ...holderIn(scene, 1), recovery: holderIn(scene).recovery };
    expect(refusal(requestRecovery, scene, ask(mixed))).toBe('InvalidAddress');
  });

  it('takes a key that the wallet authorises for this balance, for as long as it says', () => {
    const [wallet, key] = [keyed('recovery wallet with a key'), named('key for one transaction')];
    const scene = done(settle);
    nameIn(scene, wallet);
    const { world } = scene;
    const { balance } = holderIn(scene);
    const request = build.requestRecovery(holderIn(scene), key);
    const by = (terms: object, who = wallet) => authorised(who, { balance, signer: key, ...terms });
    const failureOf = (before: ReturnType<typeof by>) => world.sendToLayer(before, request).failure;
    expect(failureOf(by({ expiresAt: world.now - 1n }))).toBe('AuthorisationExpired');
    expect(failureOf(by({ balance: holderIn(scene, 1).balance }))).toBe('NotRecoveryWallet');
    expect(failureOf(by({}, keyed('somebody else with a key')))).toBe('NotRecoveryWallet');
    must(world.sendToLayer(by({ expiresAt: world.now }), request));
  });
});

describe('refuse_recovery', () => {
  it('ends the recovery, which can then begin anew', () => {
    const { scene, changes, events } = effectIn(refuseRecovery);
    expect(changes).toEqual({ recovery: { dueAt: [expect.any(BigInt), 0n] } });
    expect(events).toEqual([{ __kind: 'RecoveryRefused' }]);
    later(scene, DELAY);
    expect(refusal(completeRecovery, scene, complete(scene))).toBe('NoRecoveryUnderWay');
    expect(refusal(refuseRecovery, scene, build.refuseRecovery(holderIn(scene)))).toBe('NoRecoveryUnderWay');
    requestIn(scene);
  });

  it('is the owner’s for as long as they like, after the delay and the completion too', () => {
    const scene = done(completeRecovery);
    refuseIn(scene);
    expect(refusal(completeRecovery, scene, complete(scene))).toBe('NoRecoveryUnderWay');
  });

  it('is not the recovery wallet’s', () => {
    const scene = done(requestRecovery);
    const wrong = build.refuseRecovery(holderIn(scene), RECOVERY_WALLET);
    expect(refusal(refuseRecovery, scene, wrong)).toBe('NotRecipient');
  });
});

describe('another wallet and a recovery at the same time', () => {
  it('a recovery that was asked for in time is not ended by the change', () => {
    const scene = done(nameRecovery);
    nameIn(scene);
    later(scene, DELAY - 1n);
    requestIn(scene);
    later(scene, DELAY);
    expect(recoveryIn(scene)).toMatchObject({ wallet: RECOVERY_WALLET, change: { wallet: OTHER } });
    must(scene.world.sendToLayer(complete(scene)));
  });

  it('the change that has waited is made when the recovery is refused, so the wallet that is replaced asks no more', () => {
    const scene = done(nameRecovery);
    nameIn(scene);
    requestIn(scene);
    later(scene, DELAY);
    refuseIn(scene);
    const request = build.requestRecovery(holderIn(scene), RECOVERY_WALLET);
    expect(refusal(requestRecovery, scene, request)).toBe('NotRecoveryWallet');
    requestIn(scene, OTHER);
  });

  it('a wallet that is named meanwhile gains nothing by a recovery that another has begun', () => {
    const scene = done(requestRecovery);
    nameIn(scene);
    later(scene, DELAY);
    expect(refusal(completeRecovery, scene, complete(scene, OTHER))).toBe('NotRecoveryWallet');
  });
});

describe('complete_recovery', () => {
  it('has everything that is there, and that comes, go to a wallet by itself', () => {
    const { scene, changes, events } = effectIn(completeRecovery);
    expect(changes).toEqual({
      balance: { attention: [0, 1], orderThreshold: [0n, 1n], orderWallet: [NOBODY, WALLET] },
    });
    expect(events).toEqual([{ __kind: 'RecoveryCompleted' }]);
    must(scene.world.sendToLayer(build.executeOrder(scene.world, holderIn(scene))));
    expect(readBalance(scene.world, holderIn(scene))).toMatchObject({
      amount: 0n,
      pendingAmount: 1_000n,
      pendingWallet: WALLET,
    });
  });

  it('is refused a second before its time, and where nobody has asked for it', () => {
    const scene = done(requestRecovery);
    later(scene, DELAY - 1n);
    expect(refusal(completeRecovery, scene, complete(scene))).toBe('RecoveryNotDue');
    later(scene, 1n);
    must(scene.world.sendToLayer(complete(scene)));
    const named = done(nameRecovery);
    later(named, DELAY);
    expect(refusal(completeRecovery, named, complete(named))).toBe('NoRecoveryUnderWay');
  });

  it('takes what waits for its release back into the balance, so that it goes to the new wallet', () => {
    const scene = done(requestRecovery);
    later(scene, DELAY);
    const dueAt = scene.world.now + BigInt(DAY);
    must(scene.world.sendToLayer(build.requestWithdrawal(holderIn(scene), REQUESTED, OTHER_WALLET, undefined, dueAt)));
    must(scene.world.sendToLayer(complete(scene)));
    must(scene.world.sendToLayer(build.executeOrder(scene.world, holderIn(scene))));
    expect(readBalance(scene.world, holderIn(scene))).toMatchObject({ pendingAmount: 1_000n, pendingWallet: WALLET });
  });

  it('redirects what has its number, which keeps it, and takes the rest once that is paid', () => {
    const scene = done(requestRecovery);
    must(scene.world.sendToLayer(build.requestWithdrawal(holderIn(scene), REQUESTED, OTHER_WALLET)));
    later(scene, DELAY);
    const { changes } = effectOf(completeRecovery, scene, complete(scene));
    expect(changes.balance).toMatchObject({ pendingWallet: [OTHER_WALLET, WALLET] });
    expect(readBalance(scene.world, holderIn(scene))).toMatchObject({ amount: 400n, pendingNumber: 1n });
    const rest = build.executeOrder(scene.world, holderIn(scene));
    expect(refusal(executeOrder, scene, rest)).toBe('WithdrawalPending');
  });

  it('takes the place of an order and of deliveries to a wallet that is lost', () => {
    const scene = done(requestRecovery);
    const holder = holderIn(scene);
    must(scene.world.sendToLayer(build.setStandingOrder(holder, 900n, OTHER_WALLET, undefined, { part: 100n })));
    placeBalance(scene.world, holder, { deliver: 500n });
    later(scene, DELAY);
    must(scene.world.sendToLayer(complete(scene)));
    must(scene.world.sendToLayer(build.executeOrder(scene.world, holder)));
    expect(readBalance(scene.world, holder)).toMatchObject({ amount: 0n, deliver: 0n, pendingWallet: WALLET });
  });

  it('can be said again with another wallet, and with delays', () => {
    const scene = done(completeRecovery);
    later(scene, 1n);
    const again = build.completeRecovery(holderIn(scene), RECOVERY_WALLET, OTHER_WALLET, { delayMin: 5, delayMax: 9 });
    expect(effectOf(completeRecovery, scene, again).changes.balance).toEqual({
      orderWallet: [WALLET, OTHER_WALLET],
      orderDelayMin: [0, 5],
      orderDelayMax: [0, 9],
    });
  });

  it('refuses delays that end before they begin, and wallets that nobody can pay', () => {
    const { scene } = completeRecovery.prepare();
    const holder = holderIn(scene);
    const delays = { delayMin: 2, delayMax: 1 };
    const reversed = build.completeRecovery(holder, RECOVERY_WALLET, WALLET, delays);
    expect(refusal(completeRecovery, scene, reversed)).toBe('InvalidData');
    for (const wallet of [NOBODY, scene.token.pool]) {
      expect(refusal(completeRecovery, scene, complete(scene, RECOVERY_WALLET, wallet))).toBe('InvalidWallet');
    }
  });

  it('is not the owner’s, a stranger’s or another balance’s recovery wallet’s', () => {
    const { scene } = completeRecovery.prepare();
    const { world } = scene;
    for (const by of [holderIn(scene).recipient, world.stranger, world.authority, OTHER])
      expect(refusal(completeRecovery, scene, complete(scene, by))).toBe('NotRecoveryWallet');
    const mixed = { ...holderIn(scene, 1), recovery: holderIn(scene).recovery };
    const wrong = build.completeRecovery(mixed, RECOVERY_WALLET, WALLET);
    expect(refusal(completeRecovery, scene, wrong)).toBe('InvalidAddress');
  });
});

it('leaves a withdrawal that its owner has asked for as it is, as long as nothing is completed', () => {
  const scene = done(requestWithdrawal);
  nameIn(scene, RECOVERY_WALLET);
  requestIn(scene);
  expect(readBalance(scene.world, holderIn(scene))).toMatchObject({ pendingAmount: REQUESTED, pendingWallet: WALLET });
});
