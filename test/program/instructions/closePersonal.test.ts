import { named } from '@payouts/testing/litesvm/addresses';
import { permissionOf } from '@payouts/testing/litesvm/creations';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { READERS_TAKE } from '../fixtures/constants.ts';
import { closePersonal, holderIn, openPersonal, paid, type ScheduleScene, wipePersonal } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { permissionRent, readersOf } from '../harness/permissions.ts';
import { balanceOf } from '../harness/read.ts';
import { personalRent } from '../harness/rent.ts';
import { placeWiped } from '../harness/write.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';

const close = (scene: ScheduleScene, index = 0) => build.closePersonal(scene.world, holderIn(scene, index));
const pass = ({ world }: ScheduleScene, seconds = READERS_TAKE) => world.setTime(world.now + seconds);
/** Wipes the account of somebody of the list, when it may be. */
function wipe(scene: ScheduleScene, index = 0): void {
  pass(scene);
  must(scene.world.sendToLayer(build.wipePersonal(scene.world, holderIn(scene, index))));
}

describe('close_personal', () => {
  it('closes an account that was wiped, and its read permission; their rent goes back to the counter', () => {
    const { scene, changes, events } = effectIn(closePersonal);
    expect(changes).toEqual({
      wiped: { removed: true },
      permission: { removed: true },
      counter: { lamports: personalRent() + permissionRent(1) },
    });
    expect(events).toEqual([]);
    expect(balanceOf(scene.world, holderIn(scene))).toBe(1_000n);
  });

  it('needs no permission where there is none', () => {
    const scene = paid();
    wipe(scene);
    pass(scene);
    const { changes } = effectOf(closePersonal, scene, close(scene));
    expect(changes).toEqual({ wiped: { removed: true }, counter: { lamports: personalRent() } });
  });

  it('is refused within a minute after the account was wiped: who has read it before may still ask who may read it', () => {
    const scene = done(wipePersonal);
    expect(refusal(closePersonal, scene, close(scene))).toBe('PersonalTooRecent');
    pass(scene, READERS_TAKE - 1n);
    expect(refusal(closePersonal, scene, close(scene))).toBe('PersonalTooRecent');
    pass(scene, 1n);
    effectOf(closePersonal, scene, close(scene));
  });

  it('refuses one that was not wiped', () => {
    const scene = done(openPersonal);
    pass(scene);
    expect(refusal(closePersonal, scene, close(scene))).toBe('InvalidAccount');
  });

  it('refuses another account’s permission', () => {
    const scene = paid();
    const { world } = scene;
    const [first, second] = [holderIn(scene), holderIn(scene, 1)];
    // Made anew, with read permissions.
    for (const place of [0, 1]) {
      wipe(scene, place);
      pass(scene);
      must(world.sendToLayer(close(scene, place)));
      must(world.sendToLayer(build.openPersonal(world, holderIn(scene, place), { isPrivate: true })));
      expect(readersOf(world, holderIn(scene, place).personal)).toHaveLength(2);
    }
    wipe(scene);
    pass(scene);
    const call = close(scene);
    // One that is there, and one that is not: the account's own would be left behind.
    for (const { personal } of [second, holderIn(scene, 2)]) {
      const accounts = call.accounts.map((meta) =>
        meta.address === permissionOf(first.personal) ? { ...meta, address: permissionOf(personal) } : meta,
      );
      expect(refusal(closePersonal, scene, { ...call, accounts } as never)).toBe('InvalidAddress');
    }
    effectOf(closePersonal, scene, call);
  });

  it('refuses a closing by the recipient, or with another token’s counter', () => {
    const scene = done(wipePersonal);
    pass(scene);
    const { world } = scene;
    const call = close(scene);
    const by = holderIn(scene).recipient;
    const accounts = call.accounts.map((meta) => (meta.address === world.authority ? { ...meta, address: by } : meta));
    expect(refusal(closePersonal, scene, { ...call, accounts } as never)).toBe('NotExecutionAuthority');
    placeWiped(world, holderIn(scene), { mint: named('another mint') });
    expect(refusal(closePersonal, scene, call)).toBe('InvalidAccount');
  });
});
