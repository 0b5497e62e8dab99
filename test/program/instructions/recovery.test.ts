import { NO_APPROVER as NOBODY, readRecovery } from '@payouts/client';
import { named } from '@payouts/testing/litesvm/addresses';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { DAY, OTHER_WALLET, RECOVERY_WALLET, REQUESTED, WALLET } from '../fixtures/constants.ts';
import {
  completeRecovery,
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
import { balanceOf, readPersonal, withdrawalsOf } from '../harness/read.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { underWay } from './support/slots.ts';
import { order, request } from './support/withdrawal.ts';

const DELAY = 14n * BigInt(DAY);
const OTHER = named('another recovery wallet');
const recoveryIn = (scene: ScheduleScene, place = 0) => {
  const holder = holderIn(scene, place);
  return readRecovery(readPersonal(scene.world, holder), scene.world.now);
};
const later = (scene: ScheduleScene, seconds: bigint) => scene.world.setTime(scene.world.now + seconds);
const nameIn = (scene: ScheduleScene, wallet = OTHER) =>
  must(scene.world.sendToLayer(build.nameRecovery(holderIn(scene), wallet)));
const requestIn = (scene: ScheduleScene, by = RECOVERY_WALLET) =>
  must(scene.world.sendToLayer(build.requestRecovery(holderIn(scene), by)));
const refuseIn = (scene: ScheduleScene) => must(scene.world.sendToLayer(build.refuseRecovery(holderIn(scene))));
/** The execution authority begins what the order takes out. */
const takeOut = (scene: ScheduleScene, place = 0) =>
  must(scene.world.sendToLayer(build.executeOrder(scene.world, holderIn(scene, place))));
const complete = (scene: ScheduleScene, by = RECOVERY_WALLET, wallet = WALLET) =>
  build.completeRecovery(holderIn(scene), by, wallet);

describe('name_recovery', () => {
  it('names the first wallet at once, in the account where the balance’s owner asks for things', () => {
    const { scene, changes, events } = effectIn(nameRecovery);
    expect(changes).toEqual({ personal: { recoveryWallet: [NOBODY, RECOVERY_WALLET] } });
    expect(events).toEqual([{ __kind: 'RecoveryNamed' }]);
    expect(recoveryIn(scene)).toEqual({ wallet: RECOVERY_WALLET, change: null, completesAt: null });
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

  it('refuses the recipient themselves, and nobody where nobody was ever named', () => {
    const scene = done(settle);
    const holder = holderIn(scene);
    expect(refusal(nameRecovery, scene, build.nameRecovery(holder, holder.recipient))).toBe('InvalidWallet');
    expect(refusal(nameRecovery, scene, build.nameRecovery(holder, NOBODY))).toBe('NotRecoveryWallet');
  });

  it('is for this balance alone: another one of the same token has nobody', () => {
    const scene = done(nameRecovery);
    expect(recoveryIn(scene, 1).wallet).toBeNull();
    const mixed = { ...holderIn(scene), personal: holderIn(scene, 1).personal };
    expect(refusal(nameRecovery, scene, build.nameRecovery(mixed, WALLET))).toBe('NotRecipient');
  });

  it('stands beside withdrawals and orders', () => {
    const scene = done(requestWithdrawal);
    order(scene, 0, 1_000n, WALLET);
    const before = readPersonal(scene.world, holderIn(scene));
    nameIn(scene);
    const { recoveryWallet, ...others } = readPersonal(scene.world, holderIn(scene));
    expect(before).toMatchObject(others);
    expect(recoveryWallet).toBe(OTHER);
  });
});

describe('request_recovery', () => {
  it('begins fourteen days, and changes nothing of the balance', () => {
    const { scene, changes, events } = effectIn(requestRecovery);
    expect(changes).toEqual({ personal: { recoveryDueAt: [0n, scene.world.now + DELAY] } });
    expect(events).toEqual([{ __kind: 'RecoveryRequested' }]);
  });

  it('is refused while one is under way, so that nobody puts off or hurries it', () => {
    const scene = done(requestRecovery);
    later(scene, 1n);
    const again = build.requestRecovery(holderIn(scene), RECOVERY_WALLET);
    expect(refusal(requestRecovery, scene, again)).toBe('RecoveryUnderWay');
  });

  it('is refused where nobody was named, and for another balance', () => {
    const scene = done(settle);
    const ask = (holder = holderIn(scene), by = RECOVERY_WALLET) => build.requestRecovery(holder, by);
    expect(refusal(requestRecovery, scene, ask())).toBe('NotRecoveryWallet');
    expect(refusal(requestRecovery, scene, ask(holderIn(scene), NOBODY))).toBe('NotRecoveryWallet');
    nameIn(scene, RECOVERY_WALLET);
    expect(refusal(requestRecovery, scene, ask(holderIn(scene, 1)))).toBe('NotRecoveryWallet');
  });

  it('takes a key that the wallet authorises for this balance, for as long as it says', () => {
    const [wallet, key] = [keyed('recovery wallet with a key'), named('key for one transaction')];
    const scene = done(settle);
    nameIn(scene, wallet);
    const { world } = scene;
    const { personal } = holderIn(scene);
    const request = build.requestRecovery(holderIn(scene), key);
    const by = (terms: object, who = wallet) => authorised(who, { personal, signer: key, ...terms });
    const failureOf = (before: ReturnType<typeof by>) => world.sendToLayer(before, request).failure;
    expect(failureOf(by({ expiresAt: world.now - 1n }))).toBe('AuthorisationExpired');
    expect(failureOf(by({ personal: holderIn(scene, 1).personal }))).toBe('NotRecoveryWallet');
    expect(failureOf(by({}, keyed('somebody else with a key')))).toBe('NotRecoveryWallet');
    must(world.sendToLayer(by({ expiresAt: world.now }), request));
  });
});

describe('refuse_recovery', () => {
  it('ends the recovery, which can then begin anew', () => {
    const { scene, changes, events } = effectIn(refuseRecovery);
    expect(changes).toEqual({ personal: { recoveryDueAt: [expect.any(BigInt), 0n] } });
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
      personal: { watched: [0, 1], orderThreshold: [0n, 1n], orderWallet: [NOBODY, WALLET] },
    });
    expect(events).toEqual([{ __kind: 'RecoveryCompleted' }]);
    takeOut(scene);
    expect(balanceOf(scene.world, holderIn(scene))).toBe(0n);
    expect(withdrawalsOf(scene.world, holderIn(scene))).toEqual([underWay({ number: 1n, amount: 1_000n })]);
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
    request(scene, 0, REQUESTED, OTHER_WALLET, dueAt);
    request(scene, 0, 100n, OTHER_WALLET, dueAt);
    const { changes } = effectOf(completeRecovery, scene, complete(scene));
    expect(changes.personal).toMatchObject({ waits: [1, 0], waiting: [700n, 0n] });
    takeOut(scene);
    expect(withdrawalsOf(scene.world, holderIn(scene))).toMatchObject([{ amount: 1_000n, wallet: WALLET }]);
  });

  it('redirects all that have their numbers, which keep them, and takes the rest beside them', () => {
    const scene = done(requestRecovery);
    request(scene, 0, REQUESTED, OTHER_WALLET);
    request(scene, 0, 100n, OTHER_WALLET);
    later(scene, DELAY);
    const { changes } = effectOf(completeRecovery, scene, complete(scene));
    const [one, two] = [underWay({ number: 1n }), underWay({ number: 2n, amount: 100n, id: 2 })];
    expect(changes.personal).toMatchObject({
      'withdrawal 0': [{ ...one, wallet: OTHER_WALLET }, one],
      'withdrawal 1': [{ ...two, wallet: OTHER_WALLET }, two],
    });
    expect(balanceOf(scene.world, holderIn(scene))).toBe(300n);
    takeOut(scene);
    const rest = underWay({ number: 3n, amount: 300n, id: 3 });
    expect(withdrawalsOf(scene.world, holderIn(scene))).toEqual([one, two, rest]);
  });

  it('takes the place of an order, and of deliveries to a wallet that is lost', () => {
    for (const place of [0, 3]) {
      const scene = done(settle);
      const { world } = scene;
      const holder = holderIn(scene, place);
      must(world.sendToLayer(build.nameRecovery(holder, RECOVERY_WALLET)));
      must(world.sendToLayer(build.requestRecovery(holder, RECOVERY_WALLET)));
      if (place === 0) order(scene, place, 900n, OTHER_WALLET, { part: 100n });
      later(scene, DELAY);
      must(world.sendToLayer(build.completeRecovery(holder, RECOVERY_WALLET, WALLET)));
      takeOut(scene, place);
      expect(balanceOf(world, holder)).toBe(0n);
      expect(withdrawalsOf(world, holder)).toMatchObject([{ wallet: WALLET }]);
    }
  });

  it('can be said again with another wallet, and with delays', () => {
    const scene = done(completeRecovery);
    later(scene, 1n);
    const again = build.completeRecovery(holderIn(scene), RECOVERY_WALLET, OTHER_WALLET, { delayMin: 5, delayMax: 9 });
    expect(effectOf(completeRecovery, scene, again).changes.personal).toEqual({
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
    const wrong = build.completeRecovery(holderIn(scene, 1), RECOVERY_WALLET, WALLET);
    expect(refusal(completeRecovery, scene, wrong)).toBe('NotRecoveryWallet');
  });
});

it('leaves a withdrawal that its owner has asked for as it is, as long as nothing is completed', () => {
  const scene = done(requestWithdrawal);
  nameIn(scene, RECOVERY_WALLET);
  requestIn(scene);
  expect(withdrawalsOf(scene.world, holderIn(scene))).toEqual([underWay({ number: 1n })]);
});
