import { named } from '@payouts/testing/litesvm/addresses';
import { START } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { DAY, NEXT_AUTHORITY } from '../fixtures/constants.ts';
import { acceptAuthority, approveAuthority, initConfig, proposeAuthority, refuseAuthority } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { readConfig } from '../harness/read.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { NOBODY } from './support/window.ts';

const DUE = START + 7n * BigInt(DAY);

describe('propose_authority', () => {
  it('names a key that may take over in seven days, and changes no role', () => {
    const { changes, events } = effectIn(proposeAuthority);
    expect(changes).toEqual({ config: { pendingAuthority: [NOBODY, NEXT_AUTHORITY], authorityFrom: [0n, DUE] } });
    expect(events).toEqual([{ __kind: 'AuthorityProposed', authority: NEXT_AUTHORITY, from: DUE }]);
  });

  it('takes the place of another proposal, its seven days anew, agreed or not', () => {
    const scene = done(approveAuthority);
    const { world } = scene;
    world.setTime(START + 10n);
    const other = named('another authority');
    const { changes } = effectOf(proposeAuthority, scene, build.proposeAuthority(world, other));
    expect(changes).toEqual({
      config: { pendingAuthority: [NEXT_AUTHORITY, other], authorityFrom: [START, DUE + 10n] },
    });
    expect(refusal(acceptAuthority, scene, build.acceptAuthority(other))).toBe('AuthorityNotDue');
  });

  it('refuses nobody', () => {
    const scene = done(initConfig);
    expect(refusal(proposeAuthority, scene, build.proposeAuthority(scene.world, NOBODY))).toBe('InvalidConfig');
  });
});

describe('accept_authority', () => {
  it('makes the proposed key the execution authority after seven days, not a second before', () => {
    const scene = done(proposeAuthority);
    const { world } = scene;
    const call = build.acceptAuthority(NEXT_AUTHORITY);
    world.setTime(DUE - 1n);
    expect(refusal(acceptAuthority, scene, call)).toBe('AuthorityNotDue');
    world.setTime(DUE);
    const { changes, events } = effectOf(acceptAuthority, scene, call);
    expect(changes).toEqual({
      config: {
        executionAuthority: [world.authority, NEXT_AUTHORITY],
        pendingAuthority: [NEXT_AUTHORITY, NOBODY],
        authorityFrom: [DUE, 0n],
      },
    });
    expect(events).toEqual([{ __kind: 'AuthorityAccepted', authority: NEXT_AUTHORITY }]);
  });

  it('happens at once when the guardian has agreed, and once', () => {
    const { scene } = effectIn(acceptAuthority);
    expect(scene.world.now).toBe(START);
    expect(readConfig(scene.world).executionAuthority).toBe(NEXT_AUTHORITY);
    expect(refusal(acceptAuthority, scene, build.acceptAuthority(NEXT_AUTHORITY))).toBe('NothingProposed');
  });

  it('is refused while nobody is proposed, to nobody too', () => {
    const scene = done(initConfig);
    for (const by of [NEXT_AUTHORITY, NOBODY, scene.world.governance]) {
      expect(refusal(acceptAuthority, scene, build.acceptAuthority(by))).toBe('NothingProposed');
    }
  });
});

describe('approve_authority', () => {
  it('lets the proposed key take over at once', () => {
    const { changes, events } = effectIn(approveAuthority);
    expect(changes).toEqual({ config: { authorityFrom: [DUE, START] } });
    expect(events).toEqual([{ __kind: 'AuthorityApproved', authority: NEXT_AUTHORITY }]);
  });

  it('agrees to nobody but the key that it names', () => {
    const scene = done(proposeAuthority);
    const call = build.approveAuthority(scene.world, named('another authority'));
    expect(refusal(approveAuthority, scene, call)).toBe('ProposalChanged');
  });

  it('refuses while nobody is proposed', () => {
    const scene = done(initConfig);
    for (const authority of [NEXT_AUTHORITY, NOBODY]) {
      const call = build.approveAuthority(scene.world, authority);
      expect(refusal(approveAuthority, scene, call)).toBe('NothingProposed');
    }
  });
});

describe('refuse_authority', () => {
  it.each(['governance', 'guardian'] as const)('ends the proposal by one key, that of %s', (role) => {
    const scene = done(proposeAuthority);
    const { changes, events } = effectOf(refuseAuthority, scene, build.refuseAuthority(scene.world[role]));
    expect(changes).toEqual({ config: { pendingAuthority: [NEXT_AUTHORITY, NOBODY], authorityFrom: [DUE, 0n] } });
    expect(events).toEqual([{ __kind: 'AuthorityRefused', authority: NEXT_AUTHORITY }]);
    scene.world.setTime(DUE);
    expect(refusal(acceptAuthority, scene, build.acceptAuthority(NEXT_AUTHORITY))).toBe('NothingProposed');
  });

  it('comes in time until the key has taken over, though the guardian has agreed', () => {
    const scene = done(approveAuthority);
    effectOf(refuseAuthority, scene, build.refuseAuthority(scene.world.governance));
    expect(refusal(refuseAuthority, scene, build.refuseAuthority(scene.world.governance))).toBe('NothingProposed');
  });
});
