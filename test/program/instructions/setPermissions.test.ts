import { BatchPhase, PERMISSION_PROGRAM_ADDRESS } from '@payouts/client';
import { named } from '@payouts/testing/litesvm/addresses';
import { permissionOf } from '@payouts/testing/litesvm/creations';
import { balancePageOf } from '@payouts/testing/litesvm/handles';
import { LEDGER_PROGRAM } from '@payouts/testing/litesvm/programs';
import { must } from '@payouts/testing/litesvm/world';
import type { Address, Instruction } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { READERS_TAKE } from '../fixtures/constants.ts';
import { holderIn, paid, setPermissions } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { permissionRent, readersOf } from '../harness/permissions.ts';
import { PAGE_RENT } from '../harness/rent.ts';
import { batchBytes, placeInLayer } from '../harness/write.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { replaceAuthority } from './support/scenes.ts';

type Scene = ReturnType<typeof paid>;

/** A permission names the program that owns the account, without any right; and what an authority sees of what it has sent. */
const [OWNER, SENDER] = [0, 30];

const set = (scene: Scene, ...accounts: readonly Address[]) =>
  build.setPermissions(scene.world, scene.schedule, accounts);
/** The list's page, and personal accounts of its first two recipients. */
const accountsIn = (scene: Scene) => {
  const [first, second] = [holderIn(scene), holderIn(scene, 1)];
  return { page: first.page.address, first, second, batch: scene.schedule.batch };
};

/** The call with another account in a place. */
function replaced(instruction: Instruction, place: number, address: Address): Instruction {
  const accounts = (instruction.accounts ?? []).map((meta, at) => (at === place ? { ...meta, address } : meta));
  return { ...instruction, accounts };
}

describe('set_permissions', () => {
  it('lets the execution authority alone read batch, page and personal account, and names nobody else', () => {
    const { scene, changes, events } = effectIn(setPermissions);
    const { world } = scene;
    const { page, first, second, batch } = accountsIn(scene);
    expect(Object.keys(changes)).toEqual([
      'batch',
      'ephemeralVault',
      'permitted 0',
      'permission 0',
      'permission 1',
      'permission 2',
    ]);
    expect(changes.batch).toEqual({ lamports: -3n * permissionRent(1) });
    expect(changes['permission 1']).toMatchObject({ created: true, owner: PERMISSION_PROGRAM_ADDRESS, size: 101 });
    expect(changes['permission 2']).toMatchObject({ created: true, owner: PERMISSION_PROGRAM_ADDRESS, size: 101 });
    expect(events).toEqual([]);
    for (const account of [batch, page, first.personal]) {
      expect(readersOf(world, account)).toEqual([
        [LEDGER_PROGRAM, OWNER],
        [world.authority, SENDER],
      ]);
    }
    expect(readersOf(world, second.personal)).toBeUndefined();
  });

  it('leaves alone what is set, and sets what is not', () => {
    const scene = done(setPermissions);
    const { page, first, second, batch } = accountsIn(scene);
    const again = effectOf(setPermissions, scene, set(scene, batch, page, first.personal));
    expect(again.changes).toEqual({});
    const { changes } = effectOf(setPermissions, scene, set(scene, first.personal, second.personal));
    expect(Object.keys(changes)).toEqual(['batch', 'ephemeralVault', 'permission 1']);
    expect(changes.batch).toEqual({ lamports: -permissionRent(1) });
  });

  it('sets one account once that stands in a call twice', () => {
    const scene = paid();
    const { page } = accountsIn(scene);
    const { changes } = effectOf(setPermissions, scene, set(scene, page, page));
    expect(changes.batch).toEqual({ lamports: -permissionRent(1) });
  });

  it('names the present execution authority where a former one is named, for nothing', () => {
    const scene = done(setPermissions);
    const { world, schedule } = scene;
    const { page, first, batch } = accountsIn(scene);
    const successor = named('another execution authority');
    replaceAuthority(world, successor);
    const call = build.setPermissions(world, schedule, [batch, page, first.personal], { authority: successor });
    const { changes } = effectOf(setPermissions, scene, call);
    expect(Object.keys(changes)).toEqual(['permission 0', 'permission 1', 'permission 2']);
    for (const account of [batch, page, first.personal]) {
      expect(readersOf(world, account)?.slice(1)).toEqual([[successor, SENDER]]);
    }
  });

  it('leaves out a permission to whose address somebody has sent lamports, and sets the others', () => {
    const scene = paid();
    const { world } = scene;
    const { page, first, second, batch } = accountsIn(scene);
    for (const account of [batch, page, first.personal]) world.base.fund(permissionOf(account), 1_000_000n);
    const { changes } = effectOf(setPermissions, scene, set(scene, batch, page, first.personal, second.personal));
    expect(changes.batch).toEqual({ lamports: -permissionRent(1) });
    for (const account of [batch, page, first.personal]) expect(readersOf(world, account)).toBeUndefined();
    expect(readersOf(world, second.personal)).toHaveLength(2);
  });

  it('leaves out what the batch can’t pay, to the lamport', () => {
    const scene = paid();
    const { world, schedule } = scene;
    const state = world.layer.account(schedule.batch);
    if (state === undefined) throw new Error('no batch');
    const own = world.layer.ledger.minimumBalance(state.data.length);
    const call = set(scene, accountsIn(scene).page);
    world.layer.place({ ...state, lamports: own + permissionRent(1) - 1n });
    expect(effectOf(setPermissions, scene, call).changes).toEqual({});
    world.layer.place({ ...state, lamports: own + permissionRent(1) });
    expect(effectOf(setPermissions, scene, call).changes.batch).toEqual({ lamports: -permissionRent(1) });
  });

  it('refuses a batch that is not open', () => {
    const scene = paid();
    const { world, schedule } = scene;
    for (const phase of [BatchPhase.Idle, BatchPhase.Closed]) {
      placeInLayer(world, schedule.batch, (data) => batchBytes(data, { phase }));
      expect(refusal(setPermissions, scene, set(scene, schedule.batch))).toBe('BatchNotOpen');
    }
  });

  it('refuses somebody else’s permission, and one that is not written', () => {
    const scene = paid();
    const { page, first, second } = accountsIn(scene);
    for (const account of [page, first.personal]) {
      const other = replaced(set(scene, account), 7, permissionOf(second.personal));
      expect(refusal(setPermissions, scene, other)).toBe('InvalidAddress');
    }
  });

  it('refuses what is neither page nor personal account, and another batch than the one that pays', () => {
    const scene = paid();
    const { world, token, schedule } = scene;
    const elsewhere = named('another batch');
    const state = world.layer.account(schedule.batch);
    if (state === undefined) throw new Error('no batch');
    world.layer.place({ ...state, address: elsewhere });
    for (const account of [named('nobody’s account'), token.counter, balancePageOf(token, 1).address, elsewhere]) {
      expect(refusal(setPermissions, scene, set(scene, account))).toBe('InvalidAccount');
    }
  });

  it('names a later execution authority of an account that was wiped, too', () => {
    const scene = paid();
    const { world, schedule } = scene;
    const holder = holderIn(scene);
    const successor = named('a later execution authority');
    must(world.sendToLayer(set(scene, holder.personal)));
    world.setTime(world.now + READERS_TAKE);
    must(world.sendToLayer(build.wipePersonal(world, holder)));
    effectOf(setPermissions, scene, set(scene, holder.personal));
    replaceAuthority(world, successor);
    const call = build.setPermissions(world, schedule, [holder.personal], { authority: successor });
    const { changes } = effectOf(setPermissions, scene, call);
    expect(changes.batch).toBeUndefined();
    expect(readersOf(world, holder.personal)).toEqual([
      [LEDGER_PROGRAM, OWNER],
      [successor, SENDER],
    ]);
  });

  it('refuses accounts without their permissions, no account, and data', () => {
    const scene = paid();
    const { page, first } = accountsIn(scene);
    const call = set(scene, page, first.personal);
    const wrong: Instruction[] = [
      set(scene),
      { ...call, accounts: (call.accounts ?? []).slice(0, -1) },
      { ...call, data: Uint8Array.from([...(call.data ?? []), 0]) },
    ];
    for (const each of wrong) expect(refusal(setPermissions, scene, each)).toBe('InvalidData');
  });

  it('costs at most 16,000 compute units each, with what the permission program takes', () => {
    const scene = done(setPermissions);
    const personals = scene.list.holders.slice(2, 5).map(({ personal }) => personal);
    const { outcome } = effectOf(setPermissions, scene, set(scene, ...personals));
    expect(outcome.computeUnits / 3).toBeLessThan(16_000);
  });

  it('is for pages at once with their making, however many', () => {
    const scene = paid();
    const { world, token, schedule } = scene;
    const pages = [1, 2, 3].map((number) => balancePageOf(token, number));
    const batch = world.layer.account(schedule.batch);
    if (batch === undefined) throw new Error('no batch');
    world.layer.place({ ...batch, lamports: batch.lamports + 3n * (PAGE_RENT + permissionRent(1)) });
    const addresses = pages.map(({ address }) => address);
    must(world.sendToLayer(build.openPages(world, schedule, pages), set(scene, ...addresses)));
    for (const address of addresses) expect(readersOf(world, address)).toHaveLength(2);
  });
});
