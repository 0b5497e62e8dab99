import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { DAY, NEXT_GUARDIAN } from '../fixtures/constants.ts';
import { initConfig, updateGuardian } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { readConfig } from '../harness/read.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { declare } from './support/scenes.ts';
import { NOBODY } from './support/window.ts';

type Keys = Parameters<typeof build.updateGuardian>[1];

describe('update_guardian', () => {
  it('changes the second key and the grace time', () => {
    const { scene, changes, events } = effectIn(updateGuardian);
    expect(changes).toEqual({
      config: { guardian: [scene.world.guardian, NEXT_GUARDIAN], lossGrace: [DAY, 2 * DAY] },
    });
    expect(events).toEqual([{ __kind: 'GuardianUpdated', guardian: NEXT_GUARDIAN }]);
    expect(refusal(updateGuardian, scene, build.updateGuardian(scene.world))).toBe('NotGuardian');
  });

  it.each([DAY, 90 * DAY])('takes a grace time of %i seconds', (lossGrace) => {
    const scene = done(initConfig);
    effectOf(updateGuardian, scene, build.updateGuardian(scene.world, { lossGrace }));
    expect(readConfig(scene.world).lossGrace).toBe(lossGrace);
  });

  describe('refuses', () => {
    const scene = done(initConfig);
    const { world } = scene;
    it.each<[string, Keys, string]>([
      ['governance as the next guardian', { newGuardian: world.governance }, 'InvalidConfig'],
      ['nobody as the next guardian', { newGuardian: NOBODY }, 'InvalidConfig'],
      ['a grace time a second short of a day', { lossGrace: DAY - 1 }, 'InvalidConfig'],
      ['a grace time a second beyond 90 days', { lossGrace: 90 * DAY + 1 }, 'InvalidConfig'],
    ])('%s', (_, keys, error) => {
      expect(refusal(updateGuardian, scene, build.updateGuardian(world, keys))).toBe(error);
    });
  });

  it('leaves a grace time that runs as it is', () => {
    const scene = done(initConfig);
    const { world } = scene;
    declare(world);
    const call = build.updateGuardian(world);
    expect(refusal(updateGuardian, scene, call)).toBe('LayerLost');
    must(world.base.send(build.revokeLoss(world.guardian)));
    effectOf(updateGuardian, scene, call);
  });
});
