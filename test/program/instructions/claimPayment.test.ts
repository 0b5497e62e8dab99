import { BatchPhase, Delivery, MerkleTree } from '@payouts/client';
import { named } from '@payouts/testing/litesvm/addresses';
import { type Holder, scheduleOf } from '@payouts/testing/litesvm/handles';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { HOUR, WALLET } from '../fixtures/constants.ts';
import { claimPayment, createSchedule, delegateSchedule, deposit, holderIn, termsOf } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { listOf, rangeOf } from '../harness/list.ts';
import { readBalance, readBatch } from '../harness/read.ts';
import { batchBytes, placeBalance, placeInLayer } from '../harness/write.ts';
import { created, effectIn, effectOf, refusal } from './support/call.ts';
import { entryHash } from './support/hashes.ts';
import { configure, crowd, holding, scheduled } from './support/scenes.ts';
import { bits, complete, open, pay } from './support/window.ts';

/** Lamports by which the batch sponsors a balance of 208 bytes. */
const RENT = 32n * (208n + 60n);

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

function createdBalance({ recipient, salt, token, bump }: Holder, amount: bigint, deliver = 0n) {
  return {
    ...created(5, 208),
    bump,
    amount,
    mint: token.mint,
    recipient,
    salt,
    ...(deliver === 0n ? {} : { attention: 2, deliver }),
  };
}

/** A scene with an open window over entries of any kind, which need not make sense. */
function openWith(entries: readonly Partial<Entry>[], amount: bigint) {
  const { world, token, vault } = done(deposit);
  const payees = entries.map((entry, place) => ({
    recipient: named(`odd ${place}`),
    amount: BigInt(entry.amount ?? 1_000n),
  }));
  const plain = listOf(token, payees);
  const odd = rangeOf(plain, 0, entries.length).entries.map((entry, place) => ({ ...entry, ...entries[place] }));
  const tree = new MerkleTree(odd.map((entry, index) => entryHash(index, entry)));
  const schedule = scheduleOf(vault, 1n);
  const terms = { ...termsOf(plain), root: tree.root, amount };
  must(world.base.send(build.createSchedule(world, schedule, terms)));
  const scene = open({ world, token, vault, schedule, list: { ...plain, tree } });
  return { scene, instruction: claim(scene, 0, odd.length, { entries: odd }) };
}

describe('claim_payment', () => {
  it('creates the balances and credits them, for lamports of the batch', () => {
    const { scene, changes, events } = effectIn(claimPayment);
    const [first, second, third, fourth, fifth] = scene.list.holders as [Holder, Holder, Holder, Holder, Holder];
    expect(changes).toEqual({
      batch: {
        lamports: -5n * RENT,
        paidCount: [0, 5],
        paidAmount: [0n, 10_500n],
        bitmap: [bits(1), bits(1, 0, 1, 2, 3, 4)],
        newCount: [0, 5],
      },
      // What the double of the Magic program moves in place of the rent.
      ephemeralVault: { lamports: expect.any(BigInt) },
      'balance 0': createdBalance(first, 1_000n),
      'balance 1': createdBalance(second, 2_000n),
      'balance 2': createdBalance(third, 3_000n),
      'balance 3': createdBalance(fourth, 4_000n, 4_000n),
      'balance 4': createdBalance(fifth, 500n),
    });
    expect(events).toEqual(claims(5, 0, 0));
  });

  it('credits balances that are there, for nothing', () => {
    const scene = complete(done(createSchedule));
    open(scene);
    const { changes, events } = effectOf(claimPayment, scene, claim(scene));
    expect(changes).toEqual({
      batch: {
        paidCount: [0, 5],
        paidAmount: [0n, 10_500n],
        bitmap: [bits(1), bits(1, 0, 1, 2, 3, 4)],
      },
      'balance 0': { amount: [1_000n, 2_000n] },
      'balance 1': { amount: [2_000n, 4_000n] },
      'balance 2': { amount: [3_000n, 6_000n] },
      'balance 3': { amount: [4_000n, 8_000n], deliver: [4_000n, 8_000n] },
      'balance 4': { amount: [500n, 1_000n] },
    });
    expect(events).toEqual(claims(5, 0, 0));
  });

  it('passes those who are paid already, whole or in part of the range', () => {
    const scene = done(delegateSchedule);
    pay(scene, 1, 2);
    const again = effectOf(claimPayment, scene, claim(scene, 1, 2));
    expect(again.changes).toEqual({});
    expect(again.events).toEqual(claims(0, 2, 0));
    const { changes, events } = effectOf(claimPayment, scene, claim(scene));
    expect(Object.keys(changes)).toEqual(['batch', 'ephemeralVault', 'balance 0', 'balance 3', 'balance 4']);
    expect(changes.batch).toEqual({
      lamports: -3n * RENT,
      paidCount: [2, 5],
      paidAmount: [5_000n, 10_500n],
      bitmap: [bits(1, 1, 2), bits(1, 0, 1, 2, 3, 4)],
      newCount: [2, 5],
    });
    expect(events).toEqual(claims(3, 2, 0));
  });

  it('passes those who are held back, without counting them as paid', () => {
    const scene = open(holding(0, 3));
    const { changes, events } = effectOf(claimPayment, scene, claim(scene));
    expect(Object.keys(changes)).toEqual(['batch', 'ephemeralVault', 'balance 1', 'balance 2', 'balance 4']);
    expect(changes.batch).toEqual({
      lamports: -3n * RENT,
      paidCount: [0, 3],
      paidAmount: [0n, 5_500n],
      bitmap: [bits(1, 0, 3), bits(1, 0, 1, 2, 3, 4)],
      newCount: [0, 3],
    });
    expect(events).toEqual(claims(3, 2, 0));
  });

  it('says that something is to leave when a standing order’s threshold is reached', () => {
    const scene = complete(done(createSchedule));
    must(scene.world.sendToLayer(build.setStandingOrder(holderIn(scene), 2_000n, WALLET)));
    must(scene.world.sendToLayer(build.setStandingOrder(holderIn(scene, 1), 4_001n, WALLET)));
    open(scene);
    const { changes } = effectOf(claimPayment, scene, claim(scene, 0, 2));
    expect(changes['balance 0']).toEqual({ attention: [0, 1], amount: [1_000n, 2_000n] });
    expect(changes['balance 1']).toEqual({ amount: [2_000n, 4_000n] });
  });

  it('adds up what one recipient has in two places of the list', () => {
    const recipient = named('twice in the list');
    const payees = [1_000n, 70n].map((amount) => ({ recipient, amount }));
    const scene = open(scheduled(payees));
    pay(scene, 0, 1);
    pay(scene, 1, 1);
    expect(readBalance(scene.world, holderIn(scene)).amount).toBe(1_070n);
    expect(readBatch(scene.world, scene.schedule)).toMatchObject({ paidCount: 2, paidAmount: 1_070n });
  });

  it.each<[string, Partial<Entry>[], bigint, number[], bigint]>([
    ['an amount of zero', [{}, { amount: 0n }, {}], 3_000n, [0, 2], 2_000n],
    ['an amount beyond the budget', [{}, { amount: 2_001n }, {}], 3_000n, [0, 2], 2_000n],
    ['an amount beyond all numbers', [{}, { amount: 2n ** 64n - 1n }, {}], 3_000n, [0, 2], 2_000n],
    ['an unknown delivery', [{}, {}, { delivery: 2 as Delivery }], 3_000n, [0, 1], 2_000n],
  ])('leaves out %s and pays the others', (_, entries, amount, paid, paidAmount) => {
    const { scene, instruction } = openWith(entries, amount);
    const { changes, events } = effectOf(claimPayment, scene, instruction);
    expect(Object.keys(changes)).toEqual(['batch', 'ephemeralVault', ...paid.map((index) => `balance ${index}`)]);
    expect(changes.batch).toEqual({
      lamports: -2n * RENT,
      paidCount: [0, 2],
      paidAmount: [0n, paidAmount],
      bitmap: [bits(1), bits(1, ...paid)],
      newCount: [0, 2],
    });
    expect(events).toEqual(claims(2, 0, 1));
  });

  it('pays to the last base unit of the budget', () => {
    const { scene, instruction } = openWith([{}, { amount: 2_000n }, {}], 3_000n);
    const { changes, events } = effectOf(claimPayment, scene, instruction);
    expect(changes.batch).toMatchObject({ paidCount: [0, 2], paidAmount: [0n, 3_000n] });
    expect(events).toEqual(claims(2, 0, 1));
  });

  it('leaves out a balance to whose address somebody has sent lamports, and pays the others', () => {
    const scene = done(delegateSchedule);
    scene.world.base.fund(holderIn(scene, 2).balance, 1_000_000n);
    const { changes, events } = effectOf(claimPayment, scene, claim(scene));
    expect(Object.keys(changes)).toEqual([
      'batch',
      'ephemeralVault',
      'balance 0',
      'balance 1',
      'balance 3',
      'balance 4',
    ]);
    expect(changes.batch).toMatchObject({ paidCount: [0, 4], paidAmount: [0n, 7_500n] });
    expect(events).toEqual(claims(4, 0, 1));
  });

  it('pays three hundred in ranges of fifty and the last by itself, each once', () => {
    const scene = open(complete(scheduled(crowd(300, 10n))));
    pay(scene, 0, 299, 50);
    pay(scene, 299, 1);
    const again = effectOf(claimPayment, scene, claim(scene, 10, 50));
    expect(again.changes).toEqual({});
    expect(again.events).toEqual(claims(0, 50, 0));
    expect(readBatch(scene.world, scene.schedule)).toMatchObject({ paidCount: 300, paidAmount: 3_000n });
    for (const holder of scene.list.holders) expect(readBalance(scene.world, holder).amount).toBe(20n);
  });

  it.each<[string, (scene: Scene) => Partial<Range>]>([
    ['another amount', ({ list }) => ({ entries: changed(list, 1, { amount: 3_001n }) })],
    ['another delivery', ({ list }) => ({ entries: changed(list, 1, { delivery: Delivery.Wallet }) })],
    ['another salt', ({ list }) => ({ entries: changed(list, 0, { salt: new Uint8Array(16) }) })],
    ['another recipient', ({ list }) => ({ entries: changed(list, 0, { recipient: named('nobody') }) })],
    ['another place', () => ({ start: 0 })],
    [
      'another order',
      ({ list }) => {
        const { entries, balances } = rangeOf(list, 1, 2);
        return { entries: entries.toReversed(), balances: balances.toReversed() };
      },
    ],
    ['a hash too many', ({ list }) => ({ proof: [...list.tree.rangeProof(1, 2), new Uint8Array(32)] })],
    ['a hash too few', ({ list }) => ({ proof: list.tree.rangeProof(1, 2).slice(1) })],
    ['no hash at all', () => ({ proof: [] })],
    ['hashes in another order', ({ list }) => ({ proof: list.tree.rangeProof(1, 2).toReversed() })],
  ])('refuses %s', (_, change) => {
    const scene = done(delegateSchedule);
    expect(refusal(claimPayment, scene, claim(scene, 1, 2, change(scene)))).toBe('InvalidProof');
  });

  const changed = (list: Scene['list'], place: number, change: Partial<Entry>) =>
    rangeOf(list, 1, 2).entries.map((entry, at) => (at === place ? { ...entry, ...change } : entry));

  it('refuses a range that is empty, beyond the list, or without its balances', () => {
    const scene = done(delegateSchedule);
    const { list } = scene;
    const all = rangeOf(list, 0, 5);
    const wrong: Partial<Range>[] = [
      { entries: [], balances: [], proof: [] },
      { start: 1 },
      { start: 2 ** 32 - 1 },
      { balances: all.balances.slice(1) },
      { balances: [...all.balances, named('one balance more')] },
    ];
    for (const change of wrong) expect(refusal(claimPayment, scene, claim(scene, 0, 5, change))).toBe('InvalidRange');
  });

  it('takes as many leaves as the config allows, and no more', () => {
    const scene = done(delegateSchedule);
    configure(scene.world, { maxClaims: 4 });
    expect(refusal(claimPayment, scene, claim(scene))).toBe('InvalidRange');
    expect(effectOf(claimPayment, scene, claim(scene, 0, 4)).events).toEqual(claims(4, 0, 0));
  });

  it('refuses somebody else’s balance, and one of another token', () => {
    const scene = complete(done(createSchedule));
    open(scene);
    const { world } = scene;
    const balances = rangeOf(scene.list, 0, 5).balances.with(0, holderIn(scene, 1).balance);
    expect(refusal(claimPayment, scene, claim(scene, 0, 5, { balances }))).toBe('InvalidAccount');
    placeBalance(world, holderIn(scene), { mint: named('another mint') });
    expect(refusal(claimPayment, scene, claim(scene))).toBe('InvalidAccount');
  });

  it('refuses a batch that is not open', () => {
    const scene = done(delegateSchedule);
    const { world, schedule } = scene;
    for (const phase of [BatchPhase.Idle, BatchPhase.Closed]) {
      placeInLayer(world, schedule.batch, (data) => batchBytes(data, { phase }));
      expect(refusal(claimPayment, scene, claim(scene))).toBe('BatchNotOpen');
    }
  });

  it('refuses a batch that has no room to remember the payments', () => {
    const scene = done(delegateSchedule);
    const { world, schedule } = scene;
    placeInLayer(world, schedule.batch, (data) => data.slice(0, 192));
    expect(refusal(claimPayment, scene, claim(scene))).toBe('InvalidAccount');
  });

  it('refuses another balance of the same recipient than the one of the leaf’s salt', () => {
    const scene = complete(done(createSchedule));
    open(scene);
    const { world } = scene;
    const { balance, salt } = holderIn(scene);
    for (const at of [0, 15]) {
      placeInLayer(world, balance, (data) => data.with(192 + at, (salt[at] as number) ^ 1));
      expect(refusal(claimPayment, scene, claim(scene))).toBe('InvalidAccount');
    }
    placeBalance(world, holderIn(scene), { salt });
    expect(effectOf(claimPayment, scene, claim(scene)).events).toEqual(claims(5, 0, 0));
  });

  it('refuses to credit more than a balance can hold, and pays nobody then', () => {
    const scene = complete(done(createSchedule));
    open(scene);
    const { world } = scene;
    placeBalance(world, holderIn(scene, 4), { amount: 2n ** 64n - 500n });
    expect(refusal(claimPayment, scene, claim(scene))).toBe('Overflow');
    placeBalance(world, holderIn(scene, 4), { amount: 2n ** 64n - 501n });
    expect(effectOf(claimPayment, scene, claim(scene)).changes['balance 4']).toEqual({
      amount: [2n ** 64n - 501n, 2n ** 64n - 1n],
    });
  });

  it('pays on after the timeout, as long as nobody has committed', () => {
    const scene = done(delegateSchedule);
    scene.world.setTime(scene.world.now + BigInt(HOUR));
    expect(effectOf(claimPayment, scene, claim(scene)).events).toEqual(claims(5, 0, 0));
  });
});
