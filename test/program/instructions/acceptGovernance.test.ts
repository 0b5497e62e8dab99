import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { SUCCESSOR } from '../fixtures/constants.ts';
import { acceptGovernance, initConfig, updateConfig } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { NOBODY } from './support/window.ts';

describe('accept_governance', () => {
  it('makes the key that was named governance', () => {
    const { scene, changes, events } = effectIn(acceptGovernance);
    expect(changes).toEqual({
      config: { governance: [scene.world.governance, SUCCESSOR], pendingGovernance: [SUCCESSOR, NOBODY] },
    });
    expect(events).toEqual([{ __kind: 'GovernanceAccepted', governance: SUCCESSOR }]);
    expect(scene.world.base.send(build.updateConfig(scene.world)).failure).toBe('NotGovernance');
  });

  it('happens once', () => {
    const scene = done(acceptGovernance);
    expect(refusal(acceptGovernance, scene, build.acceptGovernance(SUCCESSOR))).toBe('NotGovernance');
  });

  it('is refused to anybody else, governance included', () => {
    const { scene } = acceptGovernance.prepare();
    for (const by of [scene.world.stranger, scene.world.governance, scene.world.guardian]) {
      expect(refusal(acceptGovernance, scene, build.acceptGovernance(by))).toBe('NotGovernance');
    }
  });

  it('is refused while nobody is named, to nobody too', () => {
    const scene = done(initConfig);
    for (const by of [SUCCESSOR, NOBODY]) {
      expect(refusal(acceptGovernance, scene, build.acceptGovernance(by))).toBe('NotGovernance');
    }
  });

  it('is refused to a key that has been named guardian meanwhile: one key is never both', () => {
    const scene = done(updateConfig);
    const { world } = scene;
    must(world.base.send(build.updateGuardian(world, { newGuardian: SUCCESSOR })));
    expect(refusal(acceptGovernance, scene, build.acceptGovernance(SUCCESSOR))).toBe('NotGovernance');
    must(world.base.send(build.updateGuardian(world, { guardian: SUCCESSOR })));
    effectOf(acceptGovernance, scene, build.acceptGovernance(SUCCESSOR));
  });
});
