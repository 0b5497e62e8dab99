import { START } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { DAY } from '../fixtures/constants.ts';
import { declareLoss, initConfig, revokeLoss } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';

const AGAIN = START + 180n * BigInt(DAY);

describe('revoke_loss', () => {
  it('takes the declaration back', () => {
    const { changes, events } = effectIn(revokeLoss);
    expect(changes).toEqual({ config: { lossDeclaredAt: [START, 0n], guardianRevokesFrom: [0n, AGAIN] } });
    expect(events).toEqual([{ __kind: 'LossRevoked' }]);
  });

  it.each(['governance', 'guardian'] as const)('needs one key, that of %s', (role) => {
    const scene = done(declareLoss);
    const { changes } = effectOf(revokeLoss, scene, build.revokeLoss(scene.world[role]));
    expect(changes).toEqual({ config: { lossDeclaredAt: [START, 0n], [`${role}RevokesFrom`]: [0n, AGAIN] } });
  });

  it('comes in time until the last second of the grace time, and not after', () => {
    const scene = done(declareLoss);
    const { world } = scene;
    const call = build.revokeLoss(world.governance);
    world.setTime(START + BigInt(DAY));
    expect(refusal(revokeLoss, scene, call)).toBe('LayerLost');
    world.setTime(START + BigInt(DAY) - 1n);
    effectOf(revokeLoss, scene, call);
  });

  it('lets a loss be declared anew, with the whole grace time', () => {
    const scene = done(revokeLoss);
    const { world } = scene;
    world.setTime(START + 100n);
    const { events } = effectOf(declareLoss, scene, build.declareLoss(world));
    expect(events).toEqual([{ __kind: 'LossDeclared', finalAt: START + 100n + BigInt(DAY) }]);
  });

  it('is refused to the same key for 180 days, so that neither keeps a layer for ever that is gone', () => {
    const scene = done(revokeLoss);
    const { world } = scene;
    effectOf(declareLoss, scene, build.declareLoss(world));
    expect(refusal(revokeLoss, scene, build.revokeLoss(world.guardian))).toBe('RevokedRecently');
    effectOf(revokeLoss, scene, build.revokeLoss(world.governance));
    world.setTime(AGAIN - 1n);
    effectOf(declareLoss, scene, build.declareLoss(world));
    for (const key of [world.guardian, world.governance]) {
      expect(refusal(revokeLoss, scene, build.revokeLoss(key))).toBe('RevokedRecently');
    }
    world.setTime(AGAIN);
    effectOf(revokeLoss, scene, build.revokeLoss(world.guardian));
  });

  it('refuses when nothing is declared', () => {
    const calm = done(initConfig);
    expect(refusal(revokeLoss, calm, build.revokeLoss(calm.world.guardian))).toBe('LayerNotLost');
  });
});
