import { BatchPhase, PERMISSION_PROGRAM_ADDRESS } from '@payouts/client';
import { named } from '@payouts/testing/litesvm/addresses';
import { permissionOf } from '@payouts/testing/litesvm/creations';
import type { Holder } from '@payouts/testing/litesvm/handles';
import { LEDGER_PROGRAM } from '@payouts/testing/litesvm/programs';
import type { Address, Instruction } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import type { Permitted } from '../fixtures/build.ts';
import * as build from '../fixtures/build.ts';
import { paid, setPermissions } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { permissionRent, readersOf } from '../harness/permissions.ts';
import { batchBytes, placeBalance, placeInLayer } from '../harness/write.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { replaceAuthority } from './support/scenes.ts';

type Scene = ReturnType<typeof paid>;

/** A permission names the program that owns the account, without any right; what an authority sees of what it has sent; nothing but the account. */
const [OWNER, SENDER, READER] = [0, 30, 0];

const set = (scene: Scene, permitted: Permitted) => build.setPermissions(scene.world, scene.schedule, permitted);
const holders = ({ list }: Scene, from = 0, to = list.holders.length) => list.holders.slice(from, to);

/** The call with another account in a place. */
function replaced(instruction: Instruction, place: number, address: Address): Instruction {
  const accounts = (instruction.accounts ?? []).map((meta, at) => (at === place ? { ...meta, address } : meta));
  return { ...instruction, accounts };
}

describe('set_permissions', () => {
  it('lets recipients and the execution authority read balances, and the authority alone the batch', () => {
    const { scene, changes, events } = effectIn(setPermissions);
    const { world, schedule, list } = scene;
    const [first, second, third] = list.holders as [Holder, Holder, Holder];
    expect(Object.keys(changes)).toEqual([
      'batch',
      'ephemeralVault',
      'permitted 0',
      'permission 0',
      'permission 1',
      'permission 2',
    ]);
    expect(changes.batch).toEqual({ lamports: -2n * permissionRent(2) - permissionRent(1) });
    expect(changes['permission 1']).toMatchObject({ created: true, owner: PERMISSION_PROGRAM_ADDRESS, size: 134 });
    expect(events).toEqual([]);
    expect(readersOf(world, schedule.batch)).toEqual([
      [LEDGER_PROGRAM, OWNER],
      [world.authority, SENDER],
    ]);
    for (const { balance, recipient } of [first, second]) {
      expect(readersOf(world, balance)).toEqual([
        [LEDGER_PROGRAM, OWNER],
        [recipient, READER],
        [world.authority, SENDER],
      ]);
    }
    expect(readersOf(world, third.balance)).toBeUndefined();
  });

  it('leaves alone what is set, and sets what is not', () => {
    const scene = done(setPermissions);
    const again = effectOf(setPermissions, scene, set(scene, { holders: holders(scene, 0, 2), ofBatch: true }));
    expect(again.changes).toEqual({});
    const { changes } = effectOf(setPermissions, scene, set(scene, { holders: holders(scene, 1, 3) }));
    expect(Object.keys(changes)).toEqual(['batch', 'ephemeralVault', 'permission 1']);
    expect(changes.batch).toEqual({ lamports: -permissionRent(2) });
  });

  it('sets one balance once that stands in a call twice', () => {
    const scene = paid();
    const [first] = holders(scene) as [Holder];
    const { changes } = effectOf(setPermissions, scene, set(scene, { holders: [first, first] }));
    expect(changes.batch).toEqual({ lamports: -permissionRent(2) });
  });

  it('names the present execution authority where a former one is named, for nothing', () => {
    const scene = done(setPermissions);
    const { world, schedule } = scene;
    const [first] = holders(scene) as [Holder];
    const successor = named('another execution authority');
    replaceAuthority(world, successor);
    const permitted = { holders: [first], ofBatch: true, authority: successor };
    const { changes } = effectOf(setPermissions, scene, set(scene, permitted));
    expect(Object.keys(changes)).toEqual(['permission 0', 'permission 1']);
    expect(readersOf(world, first.balance)?.slice(1)).toEqual([
      [first.recipient, READER],
      [successor, SENDER],
    ]);
    expect(readersOf(world, schedule.batch)?.slice(1)).toEqual([[successor, SENDER]]);
  });

  it('leaves out a permission to whose address somebody has sent lamports, and sets the others', () => {
    const scene = paid();
    const [first, second] = holders(scene) as [Holder, Holder];
    const { world, schedule } = scene;
    for (const account of [schedule.batch, first.balance]) world.base.fund(permissionOf(account), 1_000_000n);
    const { changes } = effectOf(setPermissions, scene, set(scene, { holders: [first, second], ofBatch: true }));
    expect(changes.batch).toEqual({ lamports: -permissionRent(2) });
    expect(readersOf(world, schedule.batch)).toBeUndefined();
    expect(readersOf(world, first.balance)).toBeUndefined();
    expect(readersOf(world, second.balance)).toHaveLength(3);
  });

  it('leaves out what the batch can’t pay, to the lamport', () => {
    const scene = paid();
    const { world, schedule } = scene;
    const state = world.layer.account(schedule.batch);
    if (state === undefined) throw new Error('no batch');
    const own = world.layer.ledger.minimumBalance(state.data.length);
    const call = set(scene, { holders: holders(scene, 0, 1) });
    world.layer.place({ ...state, lamports: own + permissionRent(2) - 1n });
    expect(effectOf(setPermissions, scene, call).changes).toEqual({});
    world.layer.place({ ...state, lamports: own + permissionRent(2) });
    expect(effectOf(setPermissions, scene, call).changes.batch).toEqual({ lamports: -permissionRent(2) });
  });

  it('refuses a batch that is not open', () => {
    const scene = paid();
    const { world, schedule } = scene;
    for (const phase of [BatchPhase.Idle, BatchPhase.Closed]) {
      placeInLayer(world, schedule.batch, (data) => batchBytes(data, { phase }));
      expect(refusal(setPermissions, scene, set(scene, { holders: [], ofBatch: true }))).toBe('BatchNotOpen');
    }
  });

  it('refuses the salt of somebody else, and somebody else’s permission', () => {
    const scene = paid();
    const [first, second] = holders(scene) as [Holder, Holder];
    const salted = set(scene, { holders: [{ ...first, salt: second.salt }] });
    expect(refusal(setPermissions, scene, salted)).toBe('InvalidAddress');
    const other = replaced(set(scene, { holders: [first] }), 7, permissionOf(second.balance));
    expect(refusal(setPermissions, scene, other)).toBe('InvalidAddress');
  });

  it('refuses what is no balance, a balance of another token, and another batch as its own', () => {
    const scene = paid();
    const { world, schedule } = scene;
    const [first] = holders(scene) as [Holder];
    const nowhere = { ...first, balance: named('nobody’s balance') };
    expect(refusal(setPermissions, scene, set(scene, { holders: [nowhere] }))).toBe('InvalidAccount');
    const foreign = replaced(set(scene, { holders: [], ofBatch: true }), 6, first.balance);
    expect(refusal(setPermissions, scene, foreign)).toBe('InvalidAccount');
    const batch = { ...first, balance: schedule.batch };
    expect(refusal(setPermissions, scene, set(scene, { holders: [batch] }))).toBe('InvalidAccount');
    placeBalance(world, first, { mint: named('another mint') });
    expect(refusal(setPermissions, scene, set(scene, { holders: [first] }))).toBe('InvalidAccount');
  });

  it('refuses accounts that the data does not speak of, and data without accounts', () => {
    const scene = paid();
    const call = set(scene, { holders: holders(scene, 0, 2) });
    const accounts = call.accounts ?? [];
    const wrong: Instruction[] = [
      set(scene, { holders: [] }),
      { ...call, accounts: accounts.slice(0, -1) },
      { ...call, accounts: accounts.slice(0, -2) },
      { ...call, accounts: [...accounts, ...accounts.slice(-2)] },
      { ...call, data: Uint8Array.from([...(call.data ?? []), 0]) },
      { ...call, data: Uint8Array.from(call.data ?? []).with(1, 2) },
    ];
    for (const each of wrong) expect(refusal(setPermissions, scene, each)).toBe('InvalidData');
  });

  it('costs at most 16,000 compute units each, with what the permission program takes', () => {
    const scene = done(setPermissions);
    const { outcome } = effectOf(setPermissions, scene, set(scene, { holders: holders(scene, 2, 5) }));
    expect(outcome.computeUnits / 3).toBeLessThan(16_000);
  });
});
