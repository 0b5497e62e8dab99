import { BatchPhase } from '@payouts/client';
import { permissionOf } from '@payouts/testing/litesvm/creations';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { closePermission, holderIn, paid, setPermissions } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { permissionRent, readersOf } from '../harness/permissions.ts';
import { batchBytes, placeInLayer } from '../harness/write.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { open, settlement } from './support/window.ts';

describe('close_permission', () => {
  it('closes the batch’s own, whose rent goes back to the batch', () => {
    const { scene, changes, events } = effectIn(closePermission);
    expect(changes.batch).toEqual({ lamports: permissionRent(1) });
    expect(changes.permission).toEqual({ removed: true });
    expect(events).toEqual([]);
    expect(readersOf(scene.world, holderIn(scene).page.address)).toHaveLength(2);
    expect(readersOf(scene.world, holderIn(scene).personal)).toHaveLength(2);
  });

  it('changes nothing where there is none', () => {
    const scene = paid();
    const { changes } = effectOf(closePermission, scene, build.closePermission(scene.world, scene.schedule));
    expect(changes).toEqual({});
  });

  it('goes with the commit, and the next window sets another', () => {
    const scene = done(setPermissions);
    const { world, schedule } = scene;
    must(world.sendToLayer(build.closePermission(world, schedule), build.commit(world, schedule, 0n)));
    expect(readersOf(world, schedule.batch)).toBeUndefined();
    world.deliver();
    must(world.base.send(settlement(scene)));
    open(scene);
    must(world.sendToLayer(build.setPermissions(world, schedule, [schedule.batch])));
    expect(readersOf(world, schedule.batch)).toHaveLength(2);
  });

  it('refuses a batch that is not open', () => {
    const scene = done(setPermissions);
    const { world, schedule } = scene;
    placeInLayer(world, schedule.batch, (data) => batchBytes(data, { phase: BatchPhase.Closed }));
    expect(refusal(closePermission, scene, build.closePermission(world, schedule))).toBe('BatchNotOpen');
  });

  it('refuses the permission of a page', () => {
    const scene = done(setPermissions);
    const { world, schedule } = scene;
    const call = build.closePermission(world, schedule);
    const accounts = call.accounts.map((meta) =>
      meta.address === permissionOf(schedule.batch)
        ? { ...meta, address: permissionOf(holderIn(scene).page.address) }
        : meta,
    );
    expect(refusal(closePermission, scene, { ...call, accounts })).toBe('InvalidAddress');
  });
});
