import { named } from '@payouts/testing/litesvm/addresses';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { LIMITS, SUCCESSOR } from '../fixtures/constants.ts';
import { initConfig, updateConfig } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { readConfig } from '../harness/read.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { BAD_LIMITS, GOOD_LIMITS } from './support/limits.ts';
import { declare } from './support/scenes.ts';
import { NOBODY } from './support/window.ts';

type Change = Parameters<typeof build.updateConfig>[1];

describe('update_config', () => {
  it('names who is to take over, and leaves what is said again', () => {
    const { changes, events } = effectIn(updateConfig);
    expect(changes).toEqual({ config: { pendingGovernance: [NOBODY, SUCCESSOR] } });
    expect(events).toEqual([{ __kind: 'ConfigUpdated' }]);
  });

  it('changes validator, limits and switches, but no other role, nor the grace time', () => {
    const scene = done(updateConfig);
    const { world } = scene;
    const call = build.updateConfig(world, {
      pendingGovernance: NOBODY,
      validator: named('other validator to be'),
      limits: {
        ...{ maxRecipients: 7, minInterval: 61, minBatchTimeout: 11, maxBatchTimeout: 12, maxClaims: 90 },
        ...{ windowFee: 310_000, recipientFee: 4_294_967_295, openingFee: 2_039_280 },
      },
      flags: 3,
    });
    const { changes } = effectOf(updateConfig, scene, call);
    expect(changes).toEqual({
      config: {
        flags: [0, 3],
        maxRecipients: [1_048_576, 7],
        pendingGovernance: [SUCCESSOR, NOBODY],
        validator: [world.validator, named('other validator to be')],
        minInterval: [60, 61],
        minBatchTimeout: [10, 11],
        maxBatchTimeout: [86_400, 12],
        maxClaims: [1_000, 90],
        windowFee: [0, 310_000],
        recipientFee: [0, 4_294_967_295],
        openingFee: [0, 2_039_280],
      },
    });
  });

  it.each(GOOD_LIMITS.map((limits) => [JSON.stringify(limits), limits] as const))('takes %s', (_, limits) => {
    const scene = done(initConfig);
    effectOf(updateConfig, scene, build.updateConfig(scene.world, { limits: { ...LIMITS, ...limits } }));
    expect(readConfig(scene.world)).toMatchObject(limits);
  });

  it('works while a loss is declared, and leaves the declaration', () => {
    const scene = done(initConfig);
    declare(scene.world);
    const { changes } = effectOf(updateConfig, scene, build.updateConfig(scene.world));
    expect(Object.keys(changes.config ?? {})).toEqual(['pendingGovernance']);
  });

  describe('refuses', () => {
    const scene = done(initConfig);
    const { world } = scene;
    it.each<[string, Change, string]>([
      ['the guardian for the next governance', { pendingGovernance: world.guardian }, 'InvalidConfig'],
      ['an unknown switch', { flags: 4 }, 'InvalidConfig'],
      ['nobody for the validator', { validator: NOBODY }, 'InvalidConfig'],
      ...BAD_LIMITS.map(
        (limits) =>
          [JSON.stringify(limits), { limits: { ...LIMITS, ...limits } }, 'InvalidConfig'] satisfies [
            string,
            Change,
            string,
          ],
      ),
    ])('%s', (_, change, error) => {
      expect(refusal(updateConfig, scene, build.updateConfig(world, change))).toBe(error);
    });
  });
});
