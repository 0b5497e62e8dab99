import { BatchPhase, type BitmapPage as BitmapPageFields } from '@payouts/client';
import { bytesOf, named } from '@payouts/testing/litesvm/addresses';
import { type BitmapPage, balancePageOf, bitmapPageOf, type Holder } from '@payouts/testing/litesvm/handles';
import { AccountRole, type Address } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { HOUR } from '../fixtures/constants.ts';
import { claimPayment, createSchedule, holderIn, openPages } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { rangeOf } from '../harness/list.ts';
import { balanceOf, bitmapPages, readBalancePage, readBatch, readBitmapPage } from '../harness/read.ts';
import { batchBytes, placeBalance, placeBitmap, placeInLayer, placePage } from '../harness/write.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { addSchedule, configure, crowd, holding, openWith, scheduled } from './support/scenes.ts';
import { moved, taken } from './support/slots.ts';
import { bits, complete, open, pay } from './support/window.ts';

type Scene = ReturnType<typeof scheduled>;
type Range = ReturnType<typeof rangeOf>;
type Entry = Range['entries'][number];

const claims = (paid: number, alreadyPaid: number, skipped: number) => [
  { __kind: 'ClaimsProcessed', paid, alreadyPaid, skipped },
];

/** A claim for a range of the list, changed. */
function claim(scene: Scene, start = 0, count = scene.list.leaves.length - start, change: Partial<Range> = {}) {
  return build.claimPayment(scene.world, scene.schedule, { ...rangeOf(scene.list, start, count), ...change });
}

describe('claim_payment', () => {
  it('takes free slots for the owners and credits them, for nothing', () => {
    const { scene, changes, events } = effectIn(claimPayment);
    const [first, second, third, fourth, fifth] = scene.list.holders as [Holder, Holder, Holder, Holder, Holder];
    expect(changes).toEqual({
      batch: {
        paidCount: [0, 5],
        paidAmount: [0n, 10_500n],
        newCount: [0, 5],
      },
      bitmap: { bitmap: [bits(1), bits(1, 0, 1, 2, 3, 4)] },
      'page 0': {
        ...taken(first, 1_000n),
        ...taken(second, 2_000n),
        ...taken(third, 3_000n),
        ...taken(fourth, 4_000n),
        ...taken(fifth, 500n),
      },
    });
    expect(events).toEqual(claims(5, 0, 0));
  });

  it('writes nobody’s address into a page', () => {
    const { scene } = effectIn(claimPayment);
    const page = Buffer.from(scene.world.layer.data(holderIn(scene).page.address));
    for (const { recipient } of scene.list.holders) expect(page.includes(Buffer.from(bytesOf(recipient)))).toBe(false);
  });

  it('adds to slots that are their owners’', () => {
    const scene = complete(done(createSchedule));
    open(scene);
    const { changes, events } = effectOf(claimPayment, scene, claim(scene));
    const [first, second, third, fourth, fifth] = scene.list.holders as [Holder, Holder, Holder, Holder, Holder];
    expect(changes).toEqual({
      batch: {
        paidCount: [0, 5],
        paidAmount: [0n, 10_500n],
      },
      bitmap: { bitmap: [bits(1), bits(1, 0, 1, 2, 3, 4)] },
      'page 0': {
        ...moved(first, 1_000n, 2_000n),
        ...moved(second, 2_000n, 4_000n),
        ...moved(third, 3_000n, 6_000n),
        ...moved(fourth, 4_000n, 8_000n),
        ...moved(fifth, 500n, 1_000n),
      },
    });
    expect(events).toEqual(claims(5, 0, 0));
  });

  it('passes those who are paid already, whole or in part of the range', () => {
    const scene = done(openPages);
    pay(scene, 1, 2);
    const again = effectOf(claimPayment, scene, claim(scene, 1, 2));
    expect(again.changes).toEqual({});
    expect(again.events).toEqual(claims(0, 2, 0));
    const { changes, events } = effectOf(claimPayment, scene, claim(scene));
    expect(Object.keys(changes['page 0'] ?? {})).toEqual(['slot 0', 'slot 3', 'slot 4']);
    expect(changes.batch).toEqual({
      paidCount: [2, 5],
      paidAmount: [5_000n, 10_500n],
      newCount: [2, 5],
    });
    expect(changes.bitmap).toEqual({ bitmap: [bits(1, 1, 2), bits(1, 0, 1, 2, 3, 4)] });
    expect(events).toEqual(claims(3, 2, 0));
  });

  it('passes those who are held back, without counting them as paid', () => {
    const scene = open(holding(0, 3));
    const { changes, events } = effectOf(claimPayment, scene, claim(scene));
    expect(Object.keys(changes['page 0'] ?? {})).toEqual(['slot 1', 'slot 2', 'slot 4']);
    expect(changes.batch).toEqual({
      paidCount: [0, 3],
      paidAmount: [0n, 5_500n],
      newCount: [0, 3],
    });
    expect(changes.bitmap).toEqual({ bitmap: [bits(1, 0, 3), bits(1, 0, 1, 2, 3, 4)] });
    expect(events).toEqual(claims(3, 2, 0));
  });

  it('adds up what one recipient has in two places of the list', () => {
    const recipient = named('twice in the list');
    const payees = [1_000n, 70n].map((amount) => ({ recipient, amount }));
    const scene = open(scheduled(payees));
    expect(effectOf(claimPayment, scene, claim(scene)).events).toEqual(claims(2, 0, 0));
    expect(balanceOf(scene.world, holderIn(scene))).toBe(1_070n);
    expect(readBatch(scene.world, scene.schedule)).toMatchObject({ paidCount: 2, paidAmount: 1_070n, newCount: 1 });
  });

  it('keeps what goes on to a recipient’s wallet apart from what stays in their balance', () => {
    const recipient = named('both ways');
    const scene = open(
      scheduled([
        { recipient, amount: 700n },
        { recipient, amount: 300n, delivery: 'wallet' },
      ]),
    );
    pay(scene);
    expect([0, 1].map((index) => balanceOf(scene.world, holderIn(scene, index)))).toEqual([700n, 300n]);
  });

  it.each<[string, Partial<Entry>[], bigint, number[], bigint]>([
    ['an amount of zero', [{}, { amount: 0n }, {}], 3_000n, [0, 2], 2_000n],
    ['an amount beyond the budget', [{}, { amount: 2_001n }, {}], 3_000n, [0, 2], 2_000n],
    ['an amount beyond all numbers', [{}, { amount: 2n ** 64n - 1n }, {}], 3_000n, [0, 2], 2_000n],
    ['an owner who is nobody', [{}, { owner: new Uint8Array(32) }, {}], 3_000n, [0, 2], 2_000n],
  ])('leaves out %s and pays the others', (_, entries, amount, paid, paidAmount) => {
    const { scene, instruction } = openWith(entries, amount);
    const { changes, events } = effectOf(claimPayment, scene, instruction);
    expect(Object.keys(changes['page 0'] ?? {})).toEqual(paid.map((index) => `slot ${index}`));
    expect(changes.batch).toEqual({
      paidCount: [0, 2],
      paidAmount: [0n, paidAmount],
      newCount: [0, 2],
    });
    expect(changes.bitmap).toEqual({ bitmap: [bits(1), bits(1, ...paid)] });
    expect(events).toEqual(claims(2, 0, 1));
  });

  it('pays to the last base unit of the budget', () => {
    const { scene, instruction } = openWith([{}, { amount: 2_000n }, {}], 3_000n);
    const { changes, events } = effectOf(claimPayment, scene, instruction);
    expect(changes.batch).toMatchObject({ paidCount: [0, 2], paidAmount: [0n, 3_000n] });
    expect(events).toEqual(claims(2, 0, 1));
  });

  it('leaves out whose slot another owner has, and pays the others; elsewhere it is paid', () => {
    const scene = done(openPages);
    const { world, list } = scene;
    const third = holderIn(scene, 2);
    placeBalance(world, third, { owner: bytesOf(named('another owner')), amount: 7n });
    const { changes, events } = effectOf(claimPayment, scene, claim(scene));
    expect(Object.keys(changes['page 0'] ?? {})).toEqual(['slot 0', 'slot 1', 'slot 3', 'slot 4']);
    expect(changes.batch).toMatchObject({ paidCount: [0, 4], paidAmount: [0n, 7_500n], newCount: [0, 4] });
    expect(events).toEqual(claims(4, 0, 1));
    const elsewhere = rangeOf(list, 2, 1, ({ page }) => ({ page, slot: 239 }));
    const again = effectOf(claimPayment, scene, build.claimPayment(world, scene.schedule, elsewhere));
    expect(again.changes['page 0']).toEqual(taken({ ...third, slot: 239 }, 3_000n));
    expect(again.events).toEqual(claims(1, 0, 0));
  });

  it('pays two who are said to have one slot: the first takes it, the second is left out', () => {
    const scene = done(openPages);
    const { world, schedule, list } = scene;
    const same = rangeOf(list, 0, 2, ({ page }) => ({ page, slot: 9 }));
    const { changes, events } = effectOf(claimPayment, scene, build.claimPayment(world, schedule, same));
    expect(changes['page 0']).toEqual(taken({ ...holderIn(scene), slot: 9 }, 1_000n));
    expect(events).toEqual(claims(1, 0, 1));
  });

  it('credits a page that is named twice as the one it is', () => {
    const scene = done(openPages);
    const range = rangeOf(scene.list, 0, 2);
    const entries = range.entries.map((entry, place) => ({ ...entry, page: place }));
    const pages = [...range.pages, ...range.pages];
    const { events } = effectOf(claimPayment, scene, claim(scene, 0, 2, { entries, pages }));
    expect(events).toEqual(claims(2, 0, 0));
    expect([0, 1].map((index) => balanceOf(scene.world, holderIn(scene, index)))).toEqual([1_000n, 2_000n]);
  });

  it('pays three hundred on two pages in ranges of fifty and the last by itself, each once', () => {
    const scene = open(complete(scheduled(crowd(300, 10n))));
    pay(scene, 0, 299, 50);
    pay(scene, 299, 1);
    const again = effectOf(claimPayment, scene, claim(scene, 10, 50));
    expect(again.changes).toEqual({});
    expect(again.events).toEqual(claims(0, 50, 0));
    expect(readBatch(scene.world, scene.schedule)).toMatchObject({ paidCount: 300, paidAmount: 3_000n });
    for (const holder of scene.list.holders) expect(balanceOf(scene.world, holder)).toBe(20n);
  });

  it('pays as many as a page has slots, and one on the next, in one transaction', () => {
    const scene = open(scheduled(crowd(241, 10n)));
    const { events } = effectOf(claimPayment, scene, claim(scene));
    expect(events).toEqual(claims(241, 0, 0));
    const [last, first] = [holderIn(scene, 239), holderIn(scene, 240)];
    expect([last.slot, first.slot]).toEqual([239, 0]);
    expect([last, first].map((holder) => balanceOf(scene.world, holder))).toEqual([10n, 10n]);
  });

  it('credits one balance for two schedules, and counts it as new once', () => {
    const first = complete(done(createSchedule));
    const scene = open(addSchedule(first, 2n));
    pay(scene);
    expect(readBatch(scene.world, scene.schedule)).toMatchObject({ paidCount: 5, newCount: 0 });
    expect(balanceOf(scene.world, holderIn(scene))).toBe(2_000n);
  });

  it.each<[string, (scene: Scene) => Partial<Range>]>([
    ['another amount', ({ list }) => ({ entries: changed(list, 1, { amount: 3_001n }) })],
    ['another owner', ({ list }) => ({ entries: changed(list, 0, { owner: bytesOf(named('nobody')) }) })],
    ['another blind', ({ list }) => ({ entries: changed(list, 0, { blind: new Uint8Array(16) }) })],
    ['another place', () => ({ start: 0 })],
    ['another order', ({ list }) => ({ entries: rangeOf(list, 1, 2).entries.toReversed() })],
    ['a hash too many', ({ list }) => ({ proof: [...list.tree.rangeProof(1, 2), new Uint8Array(32)] })],
    ['a hash too few', ({ list }) => ({ proof: list.tree.rangeProof(1, 2).slice(1) })],
    ['no hash at all', () => ({ proof: [] })],
    ['hashes in another order', ({ list }) => ({ proof: list.tree.rangeProof(1, 2).toReversed() })],
  ])('refuses %s', (_, change) => {
    const scene = done(openPages);
    expect(refusal(claimPayment, scene, claim(scene, 1, 2, change(scene)))).toBe('InvalidProof');
  });

  const changed = (list: Scene['list'], place: number, change: Partial<Entry>) =>
    rangeOf(list, 1, 2).entries.map((entry, at) => (at === place ? { ...entry, ...change } : entry));

  it('refuses a range that is empty or beyond the list', () => {
    const scene = done(openPages);
    const wrong: Partial<Range>[] = [{ entries: [], proof: [] }, { start: 1 }, { start: 2 ** 32 - 1 }];
    const { address } = bitmapPageOf(scene.schedule, 0n, 0);
    for (const change of wrong) {
      const range = { ...rangeOf(scene.list, 0, 5), ...change };
      const call = build.claimPayment(scene.world, scene.schedule, range, address);
      expect(refusal(claimPayment, scene, call)).toBe('InvalidRange');
    }
  });

  it('takes as many leaves as the config allows, and no more', () => {
    const scene = open(scheduled(crowd(51, 10n)));
    configure(scene.world, { maxClaims: 50 });
    expect(refusal(claimPayment, scene, claim(scene))).toBe('InvalidRange');
    expect(effectOf(claimPayment, scene, claim(scene, 0, 50)).events).toEqual(claims(50, 0, 0));
  });

  it('refuses a page or a slot that is not there, whoever else can be paid', () => {
    const scene = done(openPages);
    const entries = (change: Partial<Entry>) => ({ entries: changed(scene.list, 1, change) });
    for (const change of [entries({ page: 1 }), entries({ slot: 240 }), entries({ slot: 255 }), { pages: [] }]) {
      expect(refusal(claimPayment, scene, claim(scene, 1, 2, change))).toBe('InvalidAccount');
    }
  });

  it('refuses what is no page, and one of another token', () => {
    const scene = done(openPages);
    const { world } = scene;
    const { page, personal } = holderIn(scene);
    for (const wrong of [balancePageOf(scene.token, 1).address, personal]) {
      expect(refusal(claimPayment, scene, claim(scene, 0, 5, { pages: [wrong] }))).toBe('InvalidAccount');
      expect(refusal(claimPayment, scene, claim(scene, 0, 5, { pages: [page.address, wrong] }))).toBe('InvalidAccount');
    }
    placePage(world, page, { mint: named('another mint') });
    expect(refusal(claimPayment, scene, claim(scene))).toBe('InvalidAccount');
  });

  it('refuses a batch that is not open', () => {
    const scene = done(openPages);
    const { world, schedule } = scene;
    for (const phase of [BatchPhase.Idle, BatchPhase.Closed]) {
      placeInLayer(world, schedule.batch, (data) => batchBytes(data, { phase }));
      expect(refusal(claimPayment, scene, claim(scene))).toBe('BatchNotOpen');
    }
  });

  describe('refuses as its bitmap', () => {
    const scene = done(openPages);
    const { world, schedule, list } = scene;
    const [page] = bitmapPages(world, schedule) as [BitmapPage];
    const by = (bitmap: Address) => build.claimPayment(world, schedule, rangeOf(list, 0, 5), bitmap);

    it.each<[string, Partial<BitmapPageFields>]>([
      ['another window’s page', { window: 1n }],
      ['another schedule’s page', { schedule: named('another schedule') }],
      ['a page of another number', { number: 1 }],
    ])('%s', (_, change) => {
      const held = readBitmapPage(world, page);
      placeBitmap(world, page, change);
      expect(refusal(claimPayment, scene, claim(scene))).toBe('InvalidAccount');
      placeBitmap(world, page, held);
      expect(world.layer.data(page.address)).toHaveLength(49);
    });

    it('what is no page of a bitmap, or none of the program’s', () => {
      const others = [
        schedule.batch,
        holderIn(scene).page.address,
        scene.token.counter,
        bitmapPageOf(schedule, 0n, 1).address,
      ];
      for (const wrong of others) expect(refusal(claimPayment, scene, by(wrong))).toBeDefined();
      const state = world.layer.account(page.address);
      if (state === undefined) throw new Error('no page');
      const copy = { ...state, address: named('a copy of a page'), owner: named('another program') };
      world.layer.place(copy);
      expect(refusal(claimPayment, scene, by(copy.address))).toBe('InvalidAccount');
    });

    it('one that is not written', () => {
      const call = claim(scene);
      const accounts = call.accounts.map((meta) =>
        meta.address === page.address ? { ...meta, role: AccountRole.READONLY } : meta,
      );
      expect(refusal(claimPayment, scene, { ...call, accounts } as never)).toBeDefined();
    });
  });

  it('refuses to credit more than a balance can hold, and pays nobody then', () => {
    const scene = complete(done(createSchedule));
    open(scene);
    const { world } = scene;
    const fifth = holderIn(scene, 4);
    placeBalance(world, fifth, { amount: 2n ** 64n - 500n });
    expect(refusal(claimPayment, scene, claim(scene))).toBe('Overflow');
    placeBalance(world, fifth, { amount: 2n ** 64n - 501n });
    const { changes } = effectOf(claimPayment, scene, claim(scene));
    expect(changes['page 0']).toMatchObject(moved(fifth, 2n ** 64n - 501n, 2n ** 64n - 1n));
  });

  it('pays on after the timeout, as long as nobody has committed', () => {
    const scene = done(openPages);
    scene.world.setTime(scene.world.now + BigInt(HOUR));
    expect(effectOf(claimPayment, scene, claim(scene)).events).toEqual(claims(5, 0, 0));
    expect(readBalancePage(scene.world, holderIn(scene).page).slots[0]?.amount).toBe(1_000n);
  });
});
