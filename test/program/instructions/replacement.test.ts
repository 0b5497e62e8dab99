import { named } from '@payouts/testing/litesvm/addresses';
import { must, START } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { DAY, NEXT_AUTHORITY, NEXT_GUARDIAN, SUCCESSOR } from '../fixtures/constants.ts';
import {
  acceptReplacement,
  initConfig,
  proposeReplacement,
  refuseReplacement,
  updateConfig,
  updateGuardian,
} from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { readConfig } from '../harness/read.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { NOBODY } from './support/window.ts';

const DUE = START + 30n * BigInt(DAY);
const NEXT_GOVERNANCE = named('proposed governance');

/** The guardian has proposed another governance. */
function ofGovernance() {
  const scene = done(initConfig);
  must(scene.world.base.send(build.proposeReplacement(scene.world.guardian, NEXT_GOVERNANCE)));
  return scene;
}

describe('propose_replacement', () => {
  it('of governance names a guardian who may take over in thirty days, and changes no role', () => {
    const { scene, changes, events } = effectIn(proposeReplacement);
    expect(changes).toEqual({ config: { nextGuardian: [NOBODY, NEXT_GUARDIAN], guardianFrom: [0n, DUE] } });
    const { guardian } = scene.world;
    expect(events).toEqual([{ __kind: 'ReplacementProposed', replaced: guardian, key: NEXT_GUARDIAN, from: DUE }]);
  });

  it('of the guardian names a governance; the two proposals stand beside each other', () => {
    const scene = done(proposeReplacement);
    const { world } = scene;
    const call = build.proposeReplacement(world.guardian, NEXT_GOVERNANCE);
    const { changes, events } = effectOf(proposeReplacement, scene, call);
    expect(changes).toEqual({ config: { nextGovernance: [NOBODY, NEXT_GOVERNANCE], governanceFrom: [0n, DUE] } });
    expect(events).toMatchObject([{ replaced: world.governance, key: NEXT_GOVERNANCE }]);
  });

  it('takes the place of the same key’s last one, its thirty days anew', () => {
    const scene = done(proposeReplacement);
    const { world } = scene;
    world.setTime(START + 10n);
    const other = named('another guardian');
    const { changes } = effectOf(proposeReplacement, scene, build.proposeReplacement(world.governance, other));
    expect(changes).toEqual({ config: { nextGuardian: [NEXT_GUARDIAN, other], guardianFrom: [DUE, DUE + 10n] } });
    world.setTime(DUE);
    expect(refusal(acceptReplacement, scene, build.acceptReplacement())).toBe('NotProposed');
  });

  it('refuses nobody, and a key that is one of the two', () => {
    const scene = done(initConfig);
    const { governance, guardian } = scene.world;
    for (const key of [NOBODY, governance, guardian]) {
      expect(refusal(proposeReplacement, scene, build.proposeReplacement(governance, key))).toBe('InvalidConfig');
    }
  });
});

describe('accept_replacement', () => {
  it('makes the proposed key the guardian after thirty days, not a second before, and once', () => {
    const scene = done(proposeReplacement);
    const { world } = scene;
    world.setTime(DUE - 1n);
    expect(refusal(acceptReplacement, scene, build.acceptReplacement())).toBe('ReplacementNotDue');
    world.setTime(DUE);
    const { changes, events } = effectOf(acceptReplacement, scene, build.acceptReplacement());
    expect(changes).toEqual({
      config: {
        guardian: [world.guardian, NEXT_GUARDIAN],
        nextGuardian: [NEXT_GUARDIAN, NOBODY],
        guardianFrom: [DUE, 0n],
      },
    });
    expect(events).toEqual([{ __kind: 'ReplacementAccepted', replaced: world.guardian, key: NEXT_GUARDIAN }]);
    expect(refusal(acceptReplacement, scene, build.acceptReplacement())).toBe('NotProposed');
  });

  it('makes the proposed key governance, and ends all that the former one has begun', () => {
    const scene = ofGovernance();
    const { world } = scene;
    must(world.base.send(build.updateConfig(world, { pendingGovernance: SUCCESSOR })));
    must(world.base.send(build.proposeReplacement(world.governance)));
    must(world.base.send(build.proposeAuthority(world)));
    world.setTime(DUE);
    effectOf(acceptReplacement, scene, build.acceptReplacement(NEXT_GOVERNANCE));
    expect(readConfig(world)).toMatchObject({
      governance: NEXT_GOVERNANCE,
      pendingGovernance: NOBODY,
      nextGovernance: NOBODY,
      nextGuardian: NOBODY,
      pendingAuthority: NOBODY,
    });
    expect(world.base.send(build.acceptGovernance(SUCCESSOR)).failure).toBe('NotGovernance');
    expect(world.base.send(build.acceptAuthority(NEXT_AUTHORITY)).failure).toBe('NothingProposed');
    expect(refusal(acceptReplacement, scene, build.acceptReplacement())).toBe('NotProposed');
  });

  it('ends what the former guardian has proposed, also when both keys change it', () => {
    const scene = ofGovernance();
    const { world } = scene;
    must(world.base.send(build.updateGuardian(world)));
    world.setTime(DUE);
    expect(refusal(acceptReplacement, scene, build.acceptReplacement(NEXT_GOVERNANCE))).toBe('NotProposed');
  });

  it('never makes one key both, however it became the other meanwhile', () => {
    const scene = done(updateConfig);
    const { world } = scene;
    must(world.base.send(build.proposeReplacement(world.governance, SUCCESSOR)));
    must(world.base.send(build.acceptGovernance(SUCCESSOR)));
    world.setTime(DUE);
    expect(refusal(acceptReplacement, scene, build.acceptReplacement(SUCCESSOR))).toBe('InvalidConfig');
  });

  it('is refused while nobody is proposed, to nobody too', () => {
    const scene = done(initConfig);
    for (const by of [NEXT_GUARDIAN, NOBODY, scene.world.governance]) {
      expect(refusal(acceptReplacement, scene, build.acceptReplacement(by))).toBe('NotProposed');
    }
  });
});

describe('refuse_replacement', () => {
  it.each(['governance', 'guardian'] as const)('ends the proposal of a guardian by one key, that of %s', (role) => {
    const scene = done(proposeReplacement);
    const { changes, events } = effectOf(refuseReplacement, scene, build.refuseReplacement(scene.world[role]));
    expect(changes).toEqual({ config: { nextGuardian: [NEXT_GUARDIAN, NOBODY], guardianFrom: [DUE, 0n] } });
    expect(events).toEqual([{ __kind: 'ReplacementRefused', key: NEXT_GUARDIAN }]);
    scene.world.setTime(DUE);
    expect(refusal(acceptReplacement, scene, build.acceptReplacement())).toBe('NotProposed');
  });

  it.each(['governance', 'guardian'] as const)('ends the proposal of a governance by one key, that of %s', (role) => {
    const scene = ofGovernance();
    const { world } = scene;
    // In the last second, and after.
    world.setTime(DUE);
    effectOf(refuseReplacement, scene, build.refuseReplacement(world[role], NEXT_GOVERNANCE));
    expect(refusal(acceptReplacement, scene, build.acceptReplacement(NEXT_GOVERNANCE))).toBe('NotProposed');
  });

  it('ends only what it names', () => {
    const scene = done(proposeReplacement);
    const { world } = scene;
    for (const key of [NEXT_GOVERNANCE, NOBODY]) {
      expect(refusal(refuseReplacement, scene, build.refuseReplacement(world.guardian, key))).toBe('NothingProposed');
    }
    must(world.base.send(build.proposeReplacement(world.guardian, NEXT_GOVERNANCE)));
    effectOf(refuseReplacement, scene, build.refuseReplacement(world.guardian));
    expect(readConfig(world).nextGovernance).toBe(NEXT_GOVERNANCE);
  });

  it('is not needed where both keys change the guardian', () => {
    const scene = done(proposeReplacement);
    effectOf(updateGuardian, scene, build.updateGuardian(scene.world, { newGuardian: named('agreed guardian') }));
    expect(readConfig(scene.world).nextGuardian).toBe(NOBODY);
  });
});
