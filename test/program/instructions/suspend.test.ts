import { must, START } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import { fixtures } from '../fixtures/all.ts';
import * as build from '../fixtures/build.ts';
import { DAY } from '../fixtures/constants.ts';
import { delegateSchedule, initConfig, liftSuspension, suspend } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';

const WEEK = 7n * BigInt(DAY);
const AGAIN = 37n * BigInt(DAY);

/** Fixtures of instructions, with their names. */
const those = (names: readonly string[]) =>
  fixtures.filter(({ name }) => names.includes(name)).map((fixture) => [fixture.name, fixture] as const);

/** What the execution authority signs, on either ledger. */
const BY_AUTHORITY = [
  'delegateSchedule',
  'settle',
  'recordLiabilities',
  'claimPayment',
  'commit',
  'confirmWithdrawal',
  'executeOrder',
  'setPermissions',
  'closePermission',
];
/** What others sign, and what the pool pays. */
const BY_OTHERS = [
  'deposit',
  'withdraw',
  'cancelSchedule',
  'pauseSchedule',
  'requestWithdrawal',
  'redirectWithdrawal',
  'setStandingOrder',
  'payOut',
  'redeem',
  'reclaimWindow',
];

describe('suspend', () => {
  it('takes the execution authority’s power for seven days', () => {
    const { changes, events } = effectIn(suspend);
    const until = START + WEEK;
    expect(changes).toEqual({ config: { suspendedUntil: [0n, until], guardianSuspendsFrom: [0n, START + AGAIN] } });
    expect(events).toEqual([{ __kind: 'AuthoritySuspended', until }]);
  });

  it.each(those(BY_AUTHORITY))('refuses %s until the seven days are over, and not after', (_, fixture) => {
    const { scene, instruction } = fixture.prepare();
    must(scene.world.base.send(build.suspend(scene.world.guardian)));
    expect(refusal(fixture, scene, instruction)).toBe('Suspended');
    must(scene.world.base.send(build.liftSuspension(scene.world)));
    effectOf(fixture, scene, instruction);
  });

  it('ends by itself', () => {
    const { scene, instruction } = delegateSchedule.prepare();
    const { world } = scene;
    must(world.base.send(build.suspend(world.guardian)));
    const until = world.now + WEEK;
    world.setTime(until - 1n);
    expect(refusal(delegateSchedule, scene, instruction)).toBe('Suspended');
    world.setTime(until);
    effectOf(delegateSchedule, scene, instruction);
  });

  it.each(those(BY_OTHERS))('lets %s go on', (_, fixture) => {
    const { scene, instruction } = fixture.prepare();
    must(scene.world.base.send(build.suspend(scene.world.governance)));
    effectOf(fixture, scene, instruction);
  });

  it('is open to the same key 30 days after its end, and to the other at once', () => {
    const scene = done(suspend);
    const { world } = scene;
    const { governance, guardian } = world;
    effectOf(suspend, scene, build.suspend(governance));
    world.setTime(START + AGAIN - 1n);
    for (const key of [governance, guardian]) {
      expect(refusal(suspend, scene, build.suspend(key))).toBe('SuspendedRecently');
    }
    world.setTime(START + AGAIN);
    effectOf(suspend, scene, build.suspend(guardian));
  });

  it('is not open to a role the sooner because another key holds it', () => {
    const scene = done(suspend);
    const { world } = scene;
    must(world.base.send(build.updateGuardian(world, { newGuardian: world.stranger })));
    expect(refusal(suspend, scene, build.suspend(world.stranger))).toBe('SuspendedRecently');
  });
});

describe('lift_suspension', () => {
  it('ends it, and leaves when each key may suspend again', () => {
    const { changes, events } = effectIn(liftSuspension);
    expect(changes).toEqual({ config: { suspendedUntil: [START + WEEK, 0n] } });
    expect(events).toEqual([{ __kind: 'SuspensionLifted' }]);
  });

  it('changes nothing where nothing is suspended', () => {
    const scene = done(initConfig);
    expect(effectOf(liftSuspension, scene, build.liftSuspension(scene.world)).changes).toEqual({});
  });
});
