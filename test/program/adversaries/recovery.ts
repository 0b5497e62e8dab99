import { named } from '@payouts/testing/litesvm/addresses';
import { must } from '@payouts/testing/litesvm/world';
import * as build from '../fixtures/build.ts';
import { DAY, RECOVERY_WALLET, type WALLET } from '../fixtures/constants.ts';
import * as fixtures from '../fixtures/index.ts';
import { authorised, keyed } from '../harness/authorisation.ts';
import { done } from '../harness/fixture.ts';
import { type Attempt, attempt, tried } from './attempt.ts';

const FORTNIGHT = 14n * BigInt(DAY);
const ACCOMPLICE = named('accomplice');

/** A recovery that is under way, so many seconds after it was asked for. */
function underWay(seconds: bigint) {
  const scene = done(fixtures.requestRecovery);
  scene.world.setTime(scene.world.now + seconds);
  return scene;
}

const complete = (scene: fixtures.ScheduleScene, by: typeof WALLET, place = 0) =>
  scene.world.sendToLayer(build.completeRecovery(fixtures.holderIn(scene, place), by, by));

/** Who would come by a balance as its recovery wallet, or keep it from them. */
export const ofRecoveries: Attempt[] = [
  attempt('recovery wallet', 'takes the balance before its owner has had the time to refuse', 'time to refuse', () =>
    complete(underWay(FORTNIGHT - 1n), RECOVERY_WALLET),
  ),
  attempt('recovery wallet', 'takes the balance without having asked for it', 'recovery that was asked for', () =>
    complete(done(fixtures.nameRecovery), RECOVERY_WALLET),
  ),
  attempt('recovery wallet', 'takes the balance although its owner has refused', 'recovery that was asked for', () => {
    const scene = underWay(1n);
    must(scene.world.sendToLayer(build.refuseRecovery(fixtures.holderIn(scene))));
    scene.world.setTime(scene.world.now + FORTNIGHT);
    return complete(scene, RECOVERY_WALLET);
  }),
  attempt('recovery wallet', 'takes another balance than the one it is named for', 'several', () => {
    return complete(underWay(FORTNIGHT), RECOVERY_WALLET, 1);
  }),
  attempt('recipient', 'refuses the recovery of somebody else’s balance', 'recipient', () => {
    const scene = underWay(1n);
    const { recipient } = fixtures.holderIn(scene, 1);
    return scene.world.sendToLayer(build.refuseRecovery(fixtures.holderIn(scene), recipient));
  }),
  attempt('recovery wallet', 'takes the balance after it was replaced', 'present recovery wallet', () => {
    const scene = done(fixtures.nameRecovery);
    const { world } = scene;
    must(world.sendToLayer(build.nameRecovery(fixtures.holderIn(scene), ACCOMPLICE)));
    world.setTime(world.now + FORTNIGHT);
    return world.sendToLayer(build.requestRecovery(fixtures.holderIn(scene), RECOVERY_WALLET));
  }),
  attempt('recovery wallet', 'refuses its own recovery in the owner’s place, to change wallets', 'recipient', () => {
    const scene = underWay(1n);
    return scene.world.sendToLayer(build.refuseRecovery(fixtures.holderIn(scene), RECOVERY_WALLET));
  }),
  attempt('stranger', 'completes what a recovery wallet has asked for', 'present recovery wallet', () => {
    const scene = underWay(FORTNIGHT);
    return complete(scene, scene.world.stranger);
  }),
  attempt('execution authority', 'completes what a recovery wallet has asked for', 'present recovery wallet', () => {
    const scene = underWay(FORTNIGHT);
    return complete(scene, scene.world.authority);
  }),
  attempt('stranger', 'asks for a balance for which another was named', 'present recovery wallet', () =>
    tried(fixtures.requestRecovery, (_, scene) =>
      build.requestRecovery(fixtures.holderIn(scene), scene.world.stranger),
    ),
  ),
  attempt('execution authority', 'names a recovery wallet of its own', 'recipient', () =>
    tried(fixtures.nameRecovery, (_, scene) =>
      build.nameRecovery(fixtures.holderIn(scene), ACCOMPLICE, scene.world.authority),
    ),
  ),
  attempt('stranger', 'has the holder of an old authorisation ask once more', 'lapse of an authorisation', () => {
    const [wallet, key] = [keyed('recovery wallet with a key'), named('key for one transaction')];
    const scene = done(fixtures.settle);
    const { world } = scene;
    const holder = fixtures.holderIn(scene);
    must(world.sendToLayer(build.nameRecovery(holder, wallet)));
    const old = authorised(wallet, { personal: holder.personal, signer: key, expiresAt: world.now });
    must(world.sendToLayer(old, build.requestRecovery(holder, key)));
    must(world.sendToLayer(build.refuseRecovery(holder)));
    world.setTime(world.now + 1n);
    return world.sendToLayer(old, build.requestRecovery(holder, key));
  }),
  attempt(
    'recipient',
    'replaces the recovery wallet by a stolen key before it can ask',
    'recovery wallets change slowly',
    () => {
      const scene = done(fixtures.nameRecovery);
      const { world } = scene;
      must(world.sendToLayer(build.nameRecovery(fixtures.holderIn(scene), ACCOMPLICE)));
      world.setTime(world.now + FORTNIGHT - 1n);
      return world.sendToLayer(build.requestRecovery(fixtures.holderIn(scene), ACCOMPLICE));
    },
  ),
  attempt(
    'recipient',
    'ends a recovery by a change of the wallet instead of refusing it',
    'recovery outlives a change',
    () => {
      const scene = underWay(0n);
      const { world } = scene;
      must(world.sendToLayer(build.nameRecovery(fixtures.holderIn(scene), ACCOMPLICE)));
      world.setTime(world.now + FORTNIGHT);
      return complete(scene, ACCOMPLICE);
    },
  ),
  attempt(
    'recovery wallet',
    'asks again and again, so that nobody sees from when on',
    'recovery asked for once',
    () => {
      const scene = underWay(1n);
      return scene.world.sendToLayer(build.requestRecovery(fixtures.holderIn(scene), RECOVERY_WALLET));
    },
  ),
];
