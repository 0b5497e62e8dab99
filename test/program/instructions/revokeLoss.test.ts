import { START } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { DAY } from '../fixtures/constants.ts';
import { declareLoss, initConfig, revokeLoss } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';

describe('revoke_loss', () => {
  it('takes the declaration back', () => {
    const { changes, events } = effectIn(revokeLoss);
    expect(changes).toEqual({ config: { lossDeclaredAt: [START, 0n] } });
    expect(events).toEqual([{ __kind: 'LossRevoked' }]);
  });

  it.each(['governance', 'guardian'] as const)('needs one key, that of %s', (role) => {
    const scene = done(declareLoss);
    const { changes } = effectOf(revokeLoss, scene, build.revokeLoss(scene.world[role]));
    expect(changes).toEqual({ config: { lossDeclaredAt: [START, 0n] } });
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

  it('refuses when nothing is declared', () => {
    const calm = done(initConfig);
    expect(refusal(revokeLoss, calm, build.revokeLoss(calm.world.guardian))).toBe('LayerNotLost');
  });
});
