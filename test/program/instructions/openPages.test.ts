import { BatchPhase } from '@payouts/client';
import { named } from '@payouts/testing/litesvm/addresses';
import { permissionOf } from '@payouts/testing/litesvm/creations';
import { type BalancePage, balancePageOf } from '@payouts/testing/litesvm/handles';
import { LEDGER_PROGRAM } from '@payouts/testing/litesvm/programs';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { claimPayment, delegateSchedule, holderIn, openPages, type ScheduleScene } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { permissionRent, readersOf } from '../harness/permissions.ts';
import { balanceOf } from '../harness/read.ts';
import { PAGE_BYTES, PAGE_RENT } from '../harness/rent.ts';
import { batchBytes, placeInLayer, placePage } from '../harness/write.ts';
import { created, effectIn, effectOf, refusal } from './support/call.ts';

const make = ({ world, schedule }: ScheduleScene, ...pages: readonly BalancePage[]) =>
  build.openPages(world, schedule, pages);

/** Leaves the batch so many lamports beside those that it needs itself. */
function leave({ world, schedule }: ScheduleScene, lamports: bigint): void {
  const state = world.layer.account(schedule.batch);
  if (state === undefined) throw new Error('no batch');
  world.layer.place({ ...state, lamports: world.layer.ledger.minimumBalance(state.data.length) + lamports });
}

describe('open_pages', () => {
  it('makes a page of free slots, for lamports of the batch', () => {
    const { scene, changes, events } = effectIn(openPages);
    const { number, nonce, bump, token } = holderIn(scene).page;
    expect(changes).toEqual({
      batch: { lamports: -PAGE_RENT },
      // What the double of the Magic program moves in place of the rent.
      ephemeralVault: { lamports: expect.any(BigInt) },
      'page 0': { ...created(5, PAGE_BYTES), bump, mint: token.mint, nonce },
    });
    expect(number).toBe(0);
    expect(PAGE_BYTES).toBe(10_136);
    expect(events).toEqual([]);
  });

  it('makes several, each with its number', () => {
    const { scene } = openPages.prepare();
    leave(scene, 3n * PAGE_RENT);
    const pages = [7, 2 ** 24, 3].map((number) => balancePageOf(scene.token, number));
    const { changes } = effectOf(openPages, scene, make(scene, ...pages));
    expect(changes.batch).toEqual({ lamports: -3n * PAGE_RENT });
    for (const [place, { number }] of pages.entries()) expect(changes[`page ${place}`]).toMatchObject({ number });
  });

  it('finds a page that is there, with what lies in it, and makes what is missing', () => {
    const scene = done(claimPayment);
    const { page } = holderIn(scene);
    const again = effectOf(openPages, scene, make(scene, page));
    expect(again.changes).toEqual({});
    const { changes } = effectOf(openPages, scene, make(scene, page, balancePageOf(scene.token, 1)));
    expect(Object.keys(changes)).toEqual(['batch', 'ephemeralVault', 'page 1']);
    expect(changes.batch).toEqual({ lamports: -PAGE_RENT });
    expect(balanceOf(scene.world, holderIn(scene))).toBe(1_000n);
  });

  it('takes nothing else of the program’s for a page that is there', () => {
    const scene = done(claimPayment);
    const { world, token, schedule } = scene;
    const { page } = holderIn(scene);
    const other = balancePageOf(token, 1);
    for (const address of [schedule.batch, token.counter]) {
      expect(refusal(openPages, scene, make(scene, { ...page, address }))).toBe('InvalidAccount');
    }
    expect(refusal(openPages, scene, make(scene, { ...other, address: page.address }))).toBe('InvalidAddress');
    placePage(world, page, { mint: named('another mint') });
    expect(refusal(openPages, scene, make(scene, page))).toBe('InvalidAddress');
  });

  it('goes with its read permission, which names the execution authority alone', () => {
    const { scene, instruction } = openPages.prepare();
    const { world, schedule } = scene;
    const { address } = holderIn(scene).page;
    must(world.sendToLayer(instruction, build.setPermissions(world, schedule, [address])));
    expect(readersOf(world, address)?.map(([reader]) => reader)).toEqual([LEDGER_PROGRAM, world.authority]);
  });

  it('needs all of the rent in the batch, to the lamport, beside the batch’s own', () => {
    const { scene, instruction } = openPages.prepare();
    leave(scene, PAGE_RENT - 1n);
    expect(refusal(openPages, scene, instruction)).toBe('SponsorShort');
    leave(scene, PAGE_RENT);
    effectOf(openPages, scene, instruction);
  });

  it('refuses a page to whose address somebody has sent lamports: another nonce is as good', () => {
    const { scene, instruction } = openPages.prepare();
    const { page } = holderIn(scene);
    scene.world.base.fund(page.address, 1_000_000n);
    expect(refusal(openPages, scene, instruction)).toBeDefined();
    effectOf(openPages, scene, make(scene, balancePageOf(scene.token, 1)));
  });

  it('refuses an address that does not follow from nonce, bump and the batch’s token', () => {
    const { scene } = openPages.prepare();
    const { page } = holderIn(scene);
    const other = balancePageOf(scene.token, 1);
    const wrong: BalancePage[] = [
      { ...page, address: named('elsewhere') },
      { ...page, nonce: other.nonce },
      { ...page, bump: page.bump ^ 1 },
      { ...page, address: balancePageOf({ ...scene.token, mint: named('another mint') }, 0).address },
      { ...page, address: permissionOf(page.address) },
    ];
    for (const each of wrong) expect(refusal(openPages, scene, make(scene, each))).toBeDefined();
  });

  it('refuses no pages, and more or fewer than it has seeds of', () => {
    const { scene } = openPages.prepare();
    const call = make(scene, holderIn(scene).page, balancePageOf(scene.token, 1));
    const { accounts } = call;
    expect(refusal(openPages, scene, make(scene))).toBe('InvalidData');
    for (const wrong of [accounts.slice(0, -1), [...accounts, accounts.at(-1)]]) {
      expect(refusal(openPages, scene, { ...call, accounts: wrong as never })).toBe('InvalidData');
    }
  });

  it('refuses a batch that is not open', () => {
    const { scene, instruction } = openPages.prepare();
    for (const phase of [BatchPhase.Idle, BatchPhase.Closed]) {
      placeInLayer(scene.world, scene.schedule.batch, (data) => batchBytes(data, { phase }));
      expect(refusal(openPages, scene, instruction)).toBe('BatchNotOpen');
    }
  });

  it('makes at least nineteen with their permissions in one call each', () => {
    const scene = done(delegateSchedule);
    const pages = Array.from({ length: 19 }, (_, number) => balancePageOf(scene.token, number));
    leave(scene, 19n * (PAGE_RENT + permissionRent(1)));
    must(scene.world.sendToLayer(make(scene, ...pages)));
    const addresses = pages.map(({ address }) => address);
    must(scene.world.sendToLayer(build.setPermissions(scene.world, scene.schedule, addresses)));
    for (const address of addresses) expect(readersOf(scene.world, address)).toHaveLength(2);
  });
});
