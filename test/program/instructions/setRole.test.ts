import { NO_APPROVER, RoleKind } from '@payouts/client';
import { named } from '@payouts/testing/litesvm/addresses';
import { roleOf, vaultOf } from '@payouts/testing/litesvm/handles';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { SUBJECT } from '../fixtures/constants.ts';
import { changeRole, setRole } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { created, effectIn, effectOf, refusal } from './support/call.ts';

const OTHER = named('another viewer');
const viewer = { holder: SUBJECT, kind: RoleKind.Viewer };
const none = { holder: SUBJECT, kind: RoleKind.None };

describe('set_role', () => {
  it('creates the account that names a key and its role with an employer', () => {
    const { scene, changes, events } = effectIn(setRole);
    const rent = scene.world.base.minimumBalance(96);
    const { employer } = scene.vault;
    expect(changes).toMatchObject({
      payer: { lamports: -rent },
      role: { ...created(15, 96, rent), employer, holder: SUBJECT, given: RoleKind.Viewer, since: scene.world.now },
    });
    expect(events).toEqual([{ __kind: 'RoleSet', employer, ...viewer }]);
  });

  it('gives another role to the same key, from now on and for no lamports', () => {
    const { scene, changes, events } = effectIn(changeRole);
    expect(changes).toEqual({ role: { given: [RoleKind.Viewer, RoleKind.Clerk] } });
    expect(events).toEqual([
      { __kind: 'RoleSet', employer: scene.vault.employer, holder: SUBJECT, kind: RoleKind.Clerk },
    ]);
  });

  it('leaves the role and its time where the key has it already', () => {
    const scene = done(setRole);
    scene.world.setTime(scene.world.now + 60n);
    const { changes } = effectOf(setRole, scene, build.setRole(scene.world, scene.vault, viewer));
    expect(changes).toEqual({});
  });

  it('gives roles to several keys, each apart', () => {
    const scene = done(setRole);
    const { world, vault } = scene;
    effectOf(setRole, scene, build.setRole(world, vault, { holder: OTHER, kind: RoleKind.Viewer }));
    const { changes } = effectOf(setRole, scene, build.setRole(world, vault, none));
    expect(changes).toEqual({ payer: { lamports: world.base.minimumBalance(96) }, role: { removed: true } });
    expect(world.base.account(roleOf(vault.employer, OTHER))).toBeDefined();
  });

  it('takes it back: the account is closed, its lamports go to the payer', () => {
    const scene = done(setRole);
    const { world, vault } = scene;
    const { changes, events } = effectOf(setRole, scene, build.setRole(world, vault, none));
    expect(changes).toEqual({ payer: { lamports: world.base.minimumBalance(96) }, role: { removed: true } });
    expect(events).toEqual([{ __kind: 'RoleSet', employer: vault.employer, ...none }]);
    effectOf(setRole, scene, build.setRole(world, vault, viewer));
  });

  it('changes nothing where there is nothing to take back', () => {
    const { scene } = setRole.prepare();
    expect(effectOf(setRole, scene, build.setRole(scene.world, scene.vault, none)).changes).toEqual({});
  });

  it('refuses a role that there is not, and one for nobody or for the employer', () => {
    const { scene } = setRole.prepare();
    const { world, vault } = scene;
    const refused = (holder = SUBJECT, kind = RoleKind.Viewer) =>
      refusal(setRole, scene, build.setRole(world, vault, { holder, kind }));
    const unknown = build.setRole(world, vault, viewer);
    const data = Uint8Array.from([...unknown.data.subarray(0, -1), 3]);
    expect(refusal(setRole, scene, { ...unknown, data })).toBe('InvalidRole');
    expect(refused(NO_APPROVER)).toBe('InvalidRole');
    expect(refused(vault.employer)).toBe('InvalidRole');
  });

  it("refuses another employer's account, and another key's", () => {
    const scene = done(setRole);
    const { world, vault } = scene;
    const theirs = vaultOf(world.stranger, vault.token);
    const account = roleOf(vault.employer, SUBJECT);
    for (const given of [viewer, none]) {
      expect(refusal(setRole, scene, build.setRole(world, theirs, given, account))).toBe('InvalidAddress');
      const other = { ...given, holder: OTHER };
      expect(refusal(setRole, scene, build.setRole(world, vault, other, account))).toBe('InvalidAddress');
    }
  });
});
