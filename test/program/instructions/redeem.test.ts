import { bytesOf, derive, named } from '@payouts/testing/litesvm/addresses';
import { associatedToken, CONFIG, type Holder } from '@payouts/testing/litesvm/handles';
import { LEDGER_PROGRAM } from '@payouts/testing/litesvm/programs';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { OTHER_WALLET, WALLET, WITHOUT_LEAF } from '../fixtures/constants.ts';
import {
  confirmWithdrawal,
  holderIn,
  recordLiabilities,
  redeem,
  requestWithdrawal,
  settle,
  withdrawalIn,
} from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { type LiabilityBalance, LiabilityTree } from '../harness/liabilities.ts';
import { heldOf, liabilitiesNow, readPool, readVault } from '../harness/read.ts';
import { created, effectIn, effectOf, refusal, refusalOfSecond } from './support/call.ts';
import { lose, lost, recordTree } from './support/loss.ts';
import { declare } from './support/scenes.ts';
import { bits, open, pay } from './support/window.ts';
import { cover, payIssued, request, withdrawTo } from './support/withdrawal.ts';

type Scene = ReturnType<typeof redeem.prepare>['scene'];
type Leaf = ReturnType<LiabilityTree['balance']>;

const PAGE_BYTES = 1_024;
const ALL = 2n ** 64n - 1n;

/** What a test may want otherwise of a redemption: of the leaf, or of who opens it. */
type Changes = Partial<Leaf> & Partial<Pick<Holder, 'recipient' | 'opening' | 'delivery'>>;

/** The call by which the recipient at a place of the tree redeems, changed. */
function redemption({ world, tree }: Scene, index: number, { recipient, opening, delivery, ...change }: Changes = {}) {
  const { holder } = tree.balances[index] as LiabilityBalance;
  const opened = {
    ...holder,
    ...(recipient && { recipient }),
    ...(opening && { opening }),
    ...(delivery && { delivery }),
  };
  const to = associatedToken(holder.recipient, holder.token.mint, holder.token.program);
  return build.redeem(world, opened, { ...tree.balance(index), ...change }, to);
}

/** The call for the withdrawal that the tree has first. */
const ofWithdrawal = (scene: Scene, change: Changes = {}) => redemption(scene, withdrawalIn(scene.tree), change);

/** A lost layer whose recorded tree says of the first recipient whatever is wanted. */
function claiming(change: Partial<LiabilityBalance>): Scene {
  const scene = done(settle);
  const [first, ...others] = liabilitiesNow(scene.world, scene.list.holders, []).balances as [
    LiabilityBalance,
    ...LiabilityBalance[],
  ];
  const tree = new LiabilityTree([{ ...first, ...change }, ...others], []);
  recordTree(scene, tree);
  return lost(scene, tree);
}

describe('redeem', () => {
  it('pays a withdrawal that the base has not paid, and marks its leaf', () => {
    const { scene, changes, events } = effectIn(redeem);
    const { world, token, tree } = scene;
    const rent = world.base.minimumBalance(1_088);
    const index = withdrawalIn(tree);
    const { bump } = derive(LEDGER_PROGRAM, 'redeemed', bytesOf(token.mint), new Uint8Array(4));
    expect(changes).toEqual({
      payer: { lamports: -rent },
      pool: { paidOut: [0n, 600n], liabilitiesLeft: [10_000n, 9_400n], redeemed: [0n, 600n] },
      poolToken: { tokens: [10_000n, 9_400n] },
      destinationToken: { tokens: [0n, 600n] },
      redeemed: {
        ...created(10, 1_088, rent),
        bump,
        mint: token.mint,
        bitmap: bits(PAGE_BYTES, index),
      },
    });
    expect(events).toEqual([{ __kind: 'BalanceRedeemed', mint: token.mint, index, amount: 600n }]);
  });

  it('pays a balance beside its withdrawals, each by its own leaf', () => {
    const scene = done(requestWithdrawal);
    request(scene, 0, 100n, WALLET);
    const after = lose(scene);
    const own = after.tree.balances.flatMap(({ holder }, index) =>
      holder.recipient === holderIn(scene).recipient ? [index] : [],
    );
    expect(own).toHaveLength(3);
    for (const index of own) effectOf(redeem, after, redemption(after, index));
    const { recipient, token } = holderIn(scene);
    const to = associatedToken(recipient, token.mint, token.program);
    expect(scene.world.base.tokens(to)).toBe(1_000n);
    for (const index of own) expect(refusal(redeem, after, redemption(after, index))).toBe('AlreadyRedeemed');
  });

  it('refuses a withdrawal that the base has paid since the recording, and pays the balance', () => {
    const scene = done(confirmWithdrawal);
    const tree = liabilitiesNow(scene.world, scene.list.holders, []);
    scene.world.deliver();
    const after = lost(scene, tree);
    expect(refusal(redeem, after, ofWithdrawal(after))).toBe('WithdrawalAlreadyPaid');
    const { changes, events } = effectOf(redeem, after, redemption(after, 0));
    expect(changes.pool).toEqual({ paidOut: [600n, 1_000n], liabilitiesLeft: [9_400n, 9_000n], redeemed: [0n, 400n] });
    expect(changes.poolToken).toEqual({ tokens: [9_400n, 9_000n] });
    expect(changes.destinationToken).toEqual({ tokens: [0n, 400n] });
    expect(events).toMatchObject([{ index: 0, amount: 400n }]);
  });

  it('pays the whole balance of which withdrawals wait for their release, however far off', () => {
    const scene = done(settle);
    const far = scene.world.now + 90n * 86_400n;
    request(scene, 0, 600n, WALLET, far);
    request(scene, 0, 300n, WALLET, far);
    const after = lose(scene);
    expect(after.tree.balances[0]).toMatchObject({ amount: 1_000n, number: 0n });
    expect(after.tree.balances).toHaveLength(4);
    const { changes } = effectOf(redeem, after, redemption(after, 0));
    expect(changes.destinationToken).toEqual({ tokens: [0n, 1_000n] });
  });

  it('pays a balance whose money goes on to the wallet', () => {
    const after = lose(done(settle));
    expect(after.tree.balances[3]?.holder.delivery).toBe('wallet');
    const { changes } = effectOf(redeem, after, redemption(after, 3));
    expect(changes.destinationToken).toEqual({ tokens: [0n, 4_000n] });
  });

  it('looks for the number itself: a page that marks others only proves nothing', () => {
    const scene = done(requestWithdrawal);
    withdrawTo(scene, 1, 2n, 50n, WALLET);
    const after = lose(scene);
    const { changes } = effectOf(redeem, after, ofWithdrawal(after));
    expect(changes.destinationToken).toEqual({ tokens: [0n, 600n] });
  });

  it('needs no page for a balance without a withdrawal, and marks further leaves on the same page', () => {
    const { scene, instruction } = redeem.prepare();
    effectOf(redeem, scene, instruction);
    const { world, token } = scene;
    const { recipient } = holderIn(scene, 2);
    const to = world.openTokenAccount(recipient, token);
    const call = redemption(scene, 2);
    const anyPage = call.accounts.map((account, place) => (place === 9 ? { ...account, address: CONFIG } : account));
    const { changes } = effectOf(redeem, scene, { ...call, accounts: anyPage });
    const first = withdrawalIn(scene.tree);
    expect(changes).toEqual({
      pool: { paidOut: [600n, 3_600n], redeemed: [600n, 3_600n], liabilitiesLeft: [9_400n, 6_400n] },
      poolToken: { tokens: [9_400n, 6_400n] },
      destinationToken: { tokens: [0n, 3_000n] },
      redeemed: { bitmap: [bits(PAGE_BYTES, first), bits(PAGE_BYTES, first, 2)] },
    });
    expect(world.base.tokens(to)).toBe(3_000n);
  });

  it('pays to any token account that the recipient names', () => {
    const scene = lose(done(settle));
    const { world, token } = scene;
    const to = world.openTokenAccount(OTHER_WALLET, token);
    effectOf(redeem, scene, build.redeem(world, holderIn(scene, 1), scene.tree.balance(1), to));
    expect(world.base.tokens(to)).toBe(2_000n);
  });

  it('divides the pool among all to the last base unit, beside an open window that is reclaimed', () => {
    const scene = done(settle);
    withdrawTo(scene, 0, 1n, 600n, WALLET);
    request(scene, 1, 300n, WALLET);
    open(scene);
    pay(scene, 2, 2);
    const { world, token, schedule, vault } = scene;
    const after = lose(scene, [schedule]);
    expect(heldOf(world, token)).toBe(19_900n);
    must(world.base.send(build.reclaimWindow(schedule, after.tree.window(schedule.address))));
    expect(readVault(world, vault)).toMatchObject({ paid: 17_000n, open: 0n, reserved: 0n });
    const redeemed = after.tree.balances.map(({ number }, index) => {
      const call = redemption(after, index);
      if (number === 1n) return [refusal(redeem, after, call)];
      const { events } = effectOf(redeem, after, call);
      return events.map((event) => (event.__kind === 'BalanceRedeemed' ? event.amount : 0n));
    });
    expect(redeemed).toEqual([[400n], [1_700n], [6_000n], [8_000n], ['WithdrawalAlreadyPaid'], [300n]]);
    expect(heldOf(world, token)).toBe(0n);
    expect(world.base.tokens(token.poolToken)).toBe(0n);
    expect(readPool(world, token)).toMatchObject({ paidOut: 17_000n, redeemed: 16_400n, returned: 4_000n });
  });

  it('pays a leaf once', () => {
    expect(refusalOfSecond(redeem)).toBe('AlreadyRedeemed');
  });

  describe('refuses', () => {
    const scene = lose(done(recordLiabilities));
    const leaf = scene.tree.balance(1);
    it.each<[string, Changes]>([
      ['another amount', { amount: 2_001n }],
      ['a withdrawal that the leaf is not of', { number: 2n }],
      ['another opening', { opening: leaf.blind }],
      ['another delivery', { delivery: 'wallet' }],
      ['another blind', { blind: leaf.blind.with(0, (leaf.blind[0] ?? 0) ^ 1) }],
      ['another place', { index: 0 }],
      ['a hash too few', { proof: leaf.proof.slice(1) }],
      ['a hash too many', { proof: [...leaf.proof, new Uint8Array(32)] }],
    ])('%s', (_, change) => {
      expect(refusal(redeem, scene, redemption(scene, 1, change))).toBe('InvalidProof');
    });

    it('somebody else who knows the leaf', () => {
      expect(refusal(redeem, scene, redemption(scene, 1, { recipient: named('thief') }))).toBe('InvalidProof');
    });

    it('another number or amount for the withdrawal of the leaf', () => {
      for (const change of [{ amount: 601n }, { number: 2n }, { number: 0n }]) {
        expect(refusal(redeem, scene, ofWithdrawal(scene, change))).toBe('InvalidProof');
      }
    });

    it('a place beyond the tree', () => {
      for (const index of [5, 2 ** 32 - 1]) {
        expect(refusal(redeem, scene, redemption(scene, 1, { index }))).toBe('InvalidRange');
      }
    });

    it('to pay the pool itself', () => {
      const call = build.redeem(scene.world, holderIn(scene, 1), leaf, scene.token.poolToken);
      expect(refusal(redeem, scene, call)).toBe('InvalidTokenAccount');
    });
  });

  it('refuses a leaf of a tree that another has replaced', () => {
    const scene = done(settle);
    const old = liabilitiesNow(scene.world, scene.list.holders, []);
    request(scene, 0, 600n, WALLET);
    const after = lose(scene);
    expect(refusal(redeem, after, redemption({ ...after, tree: old }, 0))).toBe('InvalidProof');
  });

  it('refuses a window’s leaf in place of a balance’s', () => {
    const scene = open(done(settle));
    const after = lose(scene, [scene.schedule]);
    const { index, blind, proof } = after.tree.window(scene.schedule.address);
    const call = redemption(after, 0, { index, blind, proof });
    expect(refusal(redeem, after, call)).toBe('InvalidProof');
  });

  it('has nothing for a balance whose all was paid on the base', () => {
    const scene = done(settle);
    request(scene, 0, ALL, WALLET);
    cover(scene);
    const tree = liabilitiesNow(scene.world, scene.list.holders, []);
    payIssued(scene, 0, 1n);
    const after = lost(scene, tree);
    expect(after.tree.balances.map(({ number }) => number)).toEqual([0n, 0n, 0n, 1n]);
    expect(refusal(redeem, after, ofWithdrawal(after))).toBe('WithdrawalAlreadyPaid');
    const empty = claiming({ amount: 0n });
    expect(refusal(redeem, empty, redemption(empty, 0))).toBe('ZeroAmount');
  });

  it('refuses a recorded leaf of more than the pool holds', () => {
    const scene = claiming({ amount: 10_001n });
    expect(refusal(redeem, scene, redemption(scene, 0))).toBe('PoolShortfall');
    const all = claiming({ amount: 10_000n });
    expect(effectOf(redeem, all, redemption(all, 0)).changes.poolToken).toEqual({ tokens: [10_000n, 0n] });
  });

  it('pays by a tree no more than its total, so that a window stays whole that it does not know', () => {
    const scene = done(settle);
    const lie = { holder: holderIn(scene), amount: 10_000n, number: 0n };
    const tree = new LiabilityTree([lie, { ...lie, amount: 1n }], []);
    recordTree(scene, tree);
    open(scene);
    const after = lost(scene, tree);
    effectOf(redeem, after, redemption(after, 0));
    expect(refusal(redeem, after, redemption(after, 1))).toBe('PoolShortfall');
    must(scene.world.base.send(build.reclaimWindow(scene.schedule, WITHOUT_LEAF)));
    expect(heldOf(scene.world, scene.token)).toBe(0n);
  });

  it('refuses a recorded leaf of as much as there are numbers', () => {
    const scene = claiming({ amount: ALL });
    expect(refusal(redeem, scene, redemption(scene, 0))).toBe('PoolShortfall');
  });

  it('waits for the loss, declared and final to the second', () => {
    const scene = done(recordLiabilities);
    const { world, token, list } = scene;
    const { recipient } = holderIn(scene, 1);
    world.openTokenAccount(recipient, token);
    const before = { ...scene, tree: liabilitiesNow(world, list.holders, []) };
    const call = redemption(before, 1);
    expect(refusal(redeem, before, call)).toBe('LayerNotLost');
    declare(world);
    expect(refusal(redeem, before, call)).toBe('LayerNotLost');
    world.setTime(world.now + 86_399n);
    expect(refusal(redeem, before, call)).toBe('LayerNotLost');
    world.setTime(world.now + 1n);
    effectOf(redeem, before, call);
  });

  it('is over with the loss when it is revoked', () => {
    const scene = done(recordLiabilities);
    const { world } = scene;
    declare(world);
    must(world.base.send(build.revokeLoss(world.governance)));
    world.setTime(world.now + 86_400n);
    const after = { ...scene, tree: liabilitiesNow(world, scene.list.holders, []) };
    world.openTokenAccount(holderIn(scene, 1).recipient, scene.token);
    expect(refusal(redeem, after, redemption(after, 1))).toBe('LayerNotLost');
  });
});
