import { BatchPhase } from '@payouts/client';
import { named } from '@payouts/testing/litesvm/addresses';
import { associatedToken } from '@payouts/testing/litesvm/handles';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from './fixtures/build.ts';
import { APPROVER, PAYEES, WALLET } from './fixtures/constants.ts';
import { actionOf } from './fixtures/delegationProgram.ts';
import {
  closeSchedule,
  createSchedule,
  deposit,
  fundSchedule,
  payOut,
  type ScheduleScene,
  setLeastOpening,
  settle,
  termsOf,
  updateRecipients,
} from './fixtures/index.ts';
import { done } from './harness/fixture.ts';
import { listOf } from './harness/list.ts';
import { liabilitiesNow, readPool, readSchedule } from './harness/read.ts';
import { bitmapRent, PAGE_RENT } from './harness/rent.ts';
import type { Payable } from './harness/withdrawals.ts';
import { batchBytes, recordWithdrawals as record } from './harness/write.ts';
import { effectOf, refusal } from './instructions/support/call.ts';
import { charged, FEES, lamportsOf, openOn } from './instructions/support/lamports.ts';
import { lost, recordTree } from './instructions/support/loss.ts';
import { addSchedule, configure, crowd } from './instructions/support/scenes.ts';
import { end, pay, payAndEnd, settlement } from './instructions/support/window.ts';

/** What the delegation program keeps of each window, lamports; a test's transactions are paid by another. */
const SESSION = 300_000n;
const WINDOW = BigInt(FEES.windowFee);
const RECIPIENT = BigInt(FEES.recipientFee);

/** What each has won or lost since. */
function booksOf({ world, vault }: ScheduleScene) {
  const parties = { operator: world.authority, employer: vault.employer };
  const now = () => Object.entries(parties).map(([name, at]) => [name, lamportsOf(world, at)] as const);
  const before = new Map(now());
  return () => Object.fromEntries(now().map(([name, lamports]) => [name, lamports - (before.get(name) ?? 0n)]));
}

describe('an employer prepays', () => {
  it('the config’s fees for every window and recipient, into the schedule, and no more than they agree to', () => {
    const { world, token, vault } = done(deposit);
    configure(world, FEES);
    const scene = { ...addSchedule({ world, token, vault }, 1n), world };
    const fees = 3n * WINDOW + 5n * RECIPIENT;
    expect(readSchedule(world, scene.schedule)).toMatchObject({ ...FEES, prepaid: fees, prepaidRecipients: 5 });
    expect(lamportsOf(world, scene.schedule.address)).toBe(world.base.minimumBalance(720) + fees);
    const { scene: fresh } = createSchedule.prepare();
    configure(fresh.world, FEES);
    const call = (maxFees: bigint) =>
      build.createSchedule(fresh.world, fresh.schedule, { ...termsOf(fresh.list), maxFees });
    expect(refusal(createSchedule, fresh, call(fees - 1n))).toBe('FeesTooHigh');
    effectOf(createSchedule, fresh, call(fees));
  });

  it('more windows and another list under the fees that the schedule began with, whatever the config asks for since', () => {
    const scene = charged();
    const { world, schedule, token } = scene;
    configure(world, { windowFee: 4_000_000_000, recipientFee: 4_000_000_000 });
    const funded = effectOf(fundSchedule, scene, build.fundSchedule(schedule, 2));
    expect(funded.changes.payer).toEqual({ lamports: -2n * WINDOW });
    expect(funded.changes.schedule).toMatchObject({ lamports: 2n * WINDOW });
    const list = listOf(token, crowd(7, 100n));
    const promised = { root: list.tree.root, amount: 700n, recipients: 7 };
    const updated = effectOf(updateRecipients, scene, build.updateRecipients(world, schedule, promised));
    expect(updated.changes.schedule).toMatchObject({ lamports: 2n * RECIPIENT, prepaidRecipients: [5, 7] });
  });

  it('what waits for the approver, too, so that an approval needs nobody else’s lamports', () => {
    const scene = charged();
    const { world, schedule, vault, token } = scene;
    must(world.base.send(build.setApproval(world, vault, { approver: APPROVER, limit: 1n, dailyLimit: 1n })));
    must(world.base.send(build.fundSchedule(schedule, 2)));
    const list = listOf(token, crowd(4, 100n));
    const promised = { root: list.tree.root, amount: 400n, recipients: 4 };
    must(world.base.send(build.updateRecipients(world, schedule, promised)));
    expect(readSchedule(world, schedule).prepaid).toBe(5n * WINDOW + 9n * RECIPIENT);
    must(world.base.send(build.approveSchedule(world, schedule)));
    expect(readSchedule(world, schedule)).toMatchObject({ executionsLeft: 5, prepaidRecipients: 4 });
  });
});

describe('the operator', () => {
  it('takes a window’s fees, each recipient’s once, and what is left of its loan', () => {
    const scene = charged();
    const booksSince = booksOf(scene);
    openOn(scene, 1);
    expect(booksSince().operator).toBeLessThanOrEqual(-PAGE_RENT);
    payAndEnd(scene);
    must(scene.world.base.send(settlement(scene)));
    const { prepaid, prepaidRecipients, lent } = readSchedule(scene.world, scene.schedule);
    expect({ prepaid, prepaidRecipients, lent }).toEqual({ prepaid: 2n * WINDOW, prepaidRecipients: 0, lent: 0n });
    expect(lamportsOf(scene.world, scene.schedule.batch)).toBe(scene.world.base.minimumBalance(320));
    expect(booksSince().operator).toBe(WINDOW + 5n * RECIPIENT - SESSION);
    openOn(scene, 0);
    payAndEnd(scene);
    must(scene.world.base.send(settlement(scene)));
    expect(booksSince().operator).toBe(2n * (WINDOW - SESSION) + 5n * RECIPIENT);
  });

  it('lends for more pages than a list needs that has one address many times, and has back what no page took', () => {
    const payees = Array.from({ length: 20 }, () => ({ recipient: named('listed often'), amount: 10n }));
    const { world, token, vault } = done(deposit);
    const scene = addSchedule({ world, token, vault }, 1n, payees, { executions: 1 });
    const booksSince = booksOf(scene);
    const rent = lamportsOf(world, scene.schedule.address) + lamportsOf(world, scene.schedule.batch);
    openOn(scene, 3);
    payAndEnd(scene);
    must(world.base.send(settlement(scene)));
    must(world.base.send(build.closeSchedule(world, scene.schedule)));
    expect(booksSince()).toEqual({ operator: -SESSION, employer: rent });
  });

  it('has its whole loan back where nobody was paid', () => {
    const scene = charged();
    const booksSince = booksOf(scene);
    openOn(scene, 1);
    scene.world.setTime(scene.world.now + 30n);
    end(scene);
    must(scene.world.base.send(settlement(scene)));
    expect(booksSince().operator).toBe(WINDOW - SESSION);
    expect(readSchedule(scene.world, scene.schedule)).toMatchObject({ prepaidRecipients: 5, lent: 0n });
  });

  it('is owed no more than is prepaid, whatever the layer says of new balances', () => {
    const scene = charged(PAYEES, 2);
    const { world, schedule } = scene;
    for (const [left, charge] of [
      [1n, WINDOW + 5n * RECIPIENT],
      [0n, WINDOW],
    ] as const) {
      openOn(scene, 1);
      pay(scene);
      must(world.sendToLayer(build.commit(world, schedule, readSchedule(world, schedule).window)));
      const lie = { phase: BatchPhase.Closed, newCount: 2 ** 32 - 1 };
      must(world.bringBack(schedule.batch, batchBytes(world.layer.data(schedule.batch), lie)));
      const before = readSchedule(world, schedule).prepaid;
      must(world.base.send(settlement(scene)));
      const { prepaid } = readSchedule(world, schedule);
      expect([prepaid, before - prepaid]).toEqual([left * WINDOW, charge]);
    }
  });

  it('keeps the fees of an open window’s recipients when the list is replaced meanwhile', () => {
    const scene = charged();
    const { world, schedule, token } = scene;
    openOn(scene, 1);
    const list = listOf(token, crowd(4, 100n));
    const promised = { root: list.tree.root, amount: 400n, recipients: 4 };
    must(world.base.send(build.updateRecipients(world, schedule, promised)));
    payAndEnd(scene);
    must(world.base.send(settlement(scene)));
    expect(readSchedule(world, schedule)).toMatchObject({
      prepaidRecipients: 4,
      prepaid: 2n * WINDOW + 4n * RECIPIENT,
    });
  });

  it('has its loan back at the closing, where the layer was lost and the batch came back', () => {
    const { world, token, vault } = done(deposit);
    const scene = addSchedule({ world, token, vault }, 1n);
    const { schedule } = scene;
    openOn(scene, 1);
    pay(scene, 0, 2);
    const tree = liabilitiesNow(world, scene.list.holders.slice(0, 2), [schedule]);
    recordTree(scene, tree);
    must(world.bringBack(schedule.batch));
    lost(scene, tree);
    must(world.base.send(build.reclaimWindow(schedule, tree.window(schedule.address))));
    const call = build.closeSchedule(world, schedule);
    expect(refusal(closeSchedule, scene, build.closeSchedule(world, schedule, world.stranger))).toBe('InvalidAccount');
    const rent = world.base.minimumBalance(720) + world.base.minimumBalance(320);
    const { changes } = effectOf(closeSchedule, scene, call);
    expect(changes.employer).toEqual({ lamports: rent });
    expect(changes.authority).toEqual({ lamports: PAGE_RENT + bitmapRent(5) });
  });
});

describe('new wallets’ token accounts', () => {
  const OPENING = 2_039_280n;
  const LEAST = 1_000n;

  /** A schedule of three windows of 10,500 whose money can open token accounts, and a sponsor that has so many lamports beside its own rent. */
  function opening(lamports: bigint): ScheduleScene {
    const { world, token, vault } = done(deposit);
    configure(world, { ...FEES, openingFee: Number(OPENING) });
    must(world.base.send(build.setLeastOpening(world, token, LEAST)));
    world.base.fund(token.sponsor, world.base.minimumBalance(0) + lamports);
    return addSchedule({ world, token, vault }, 1n, PAYEES, { executions: 3 });
  }

  /** What a window gives the sponsor, which is when it opens. */
  function settled(scene: ScheduleScene): bigint {
    const { world, token } = scene;
    const before = lamportsOf(world, token.sponsor);
    openOn(scene, 1);
    const given = lamportsOf(world, token.sponsor) - before;
    payAndEnd(scene);
    must(world.base.send(settlement(scene)));
    expect(lamportsOf(world, token.sponsor) - before).toBe(given);
    return given;
  }

  it('are prepaid for each least opening of every window, and given to the sponsor as far as it lacks them', () => {
    const scene = opening(0n);
    const { world, schedule } = scene;
    // 10,500 are eleven openings of 1,000, the last one with another window's money.
    expect(readSchedule(world, schedule)).toMatchObject({
      openingFee: Number(OPENING),
      leastOpening: LEAST,
      prepaid: 3n * (WINDOW + 11n * OPENING) + 5n * RECIPIENT,
    });
    expect(settled(scene)).toBe(10n * OPENING);
    expect(settled(scene)).toBe(11n * OPENING);
    expect(readSchedule(world, schedule).prepaid).toBe(WINDOW + 12n * OPENING);
  });

  it('cost a window nothing where the sponsor has enough, and no more than its own where it lacks all', () => {
    const rich = opening(21n * OPENING);
    expect([settled(rich), settled(rich), settled(rich)]).toEqual([0n, 0n, 10n * OPENING]);
    const poor = opening(0n);
    settled(poor);
    poor.world.base.fund(poor.token.sponsor, poor.world.base.minimumBalance(0));
    expect(settled(poor)).toBe(11n * OPENING);
  });

  it('leave the sponsor enough for all that is still held, however much of it opens accounts that nobody empties', () => {
    const scene = opening(0n);
    const { world, token } = scene;
    for (let window = 0; window < 3; window++) settled(scene);
    // The page of numbers is the sponsor's as well.
    world.base.fund(token.sponsor, lamportsOf(world, token.sponsor) + world.base.minimumBalance(1_088));
    const withdrawals = Array.from({ length: 31 }, (_, at) => ({
      number: BigInt(at) + 1n,
      amount: LEAST,
      wallet: named(`fresh wallet ${at}`),
    }));
    record(world, token, withdrawals);
    for (const withdrawal of withdrawals) {
      must(world.act(actionOf(build.payOut(world, token, withdrawal))));
      const { movedIn, returned, paidOut } = readPool(world, token);
      const left = lamportsOf(world, token.sponsor) - world.base.minimumBalance(0);
      expect(left).toBe(OPENING * ((movedIn - returned - paidOut) / LEAST));
    }
  });

  it('are no matter of a sponsor that was never filled: its windows are settled all the same', () => {
    const scene = opening(0n);
    scene.world.base.remove(scene.token.sponsor);
    expect(settled(scene)).toBe(0n);
  });

  it.each([0n, 2n ** 64n - 1n])('ask for nothing where governance bounds none, or wants none: %i', (least) => {
    const { world, token, vault } = done(deposit);
    configure(world, { ...FEES, openingFee: Number(OPENING) });
    must(world.base.send(build.setLeastOpening(world, token, least)));
    const { schedule } = addSchedule({ world, token, vault }, 1n, PAYEES, { executions: 3 });
    expect(readSchedule(world, schedule).prepaid).toBe(3n * WINDOW + 5n * RECIPIENT);
  });

  it('are prepaid by the larger of the present list and the proposed one, for windows that are not open', () => {
    const scene = opening(0n);
    const { world, schedule, token, vault } = scene;
    const prepaid = () => readSchedule(world, schedule).prepaid;
    openOn(scene, 1);
    expect(prepaid()).toBe(3n * WINDOW + 23n * OPENING + 5n * RECIPIENT);
    const promise = (amount: bigint) => {
      const list = listOf(token, crowd(1, amount));
      must(world.base.send(build.updateRecipients(world, schedule, { root: list.tree.root, amount, recipients: 1 })));
    };
    promise(1_000n);
    expect(prepaid()).toBe(3n * WINDOW + 23n * OPENING + 5n * RECIPIENT);
    promise(12_000n);
    expect(prepaid()).toBe(3n * WINDOW + 24n * OPENING + 6n * RECIPIENT);
    must(world.base.send(build.setApproval(world, vault, { approver: APPROVER, limit: 1n, dailyLimit: 1n })));
    promise(20_000n);
    expect(prepaid()).toBe(3n * WINDOW + 40n * OPENING + 7n * RECIPIENT);
  });
});

describe('what no window used comes back to the employer', () => {
  it.each([0, 1])('after %i windows', (windows) => {
    const scene = charged();
    const { world, schedule } = scene;
    for (let window = 0; window < windows; window++) {
      openOn(scene, 1);
      payAndEnd(scene);
      must(world.base.send(settlement(scene)));
    }
    must(world.base.send(build.cancelSchedule(schedule)));
    const rent = world.base.minimumBalance(720) + world.base.minimumBalance(320);
    const unused = windows === 0 ? 3n * WINDOW + 5n * RECIPIENT : 2n * WINDOW;
    const { changes } = effectOf(closeSchedule, scene, build.closeSchedule(world, schedule));
    expect(changes.employer).toEqual({ lamports: rent + unused });
    expect(changes.authority).toBeUndefined();
  });

  it('ten schedules that are opened and closed cost the operator the delegations’ fees, and earn nobody anything', () => {
    const { world, token, vault } = done(deposit);
    configure(world, FEES);
    const before = lamportsOf(world, world.authority);
    const owned = [vault.employer, world.payer].map((at) => lamportsOf(world, at));
    for (let id = 1n; id <= 10n; id++) {
      const scene = addSchedule({ world, token, vault }, id, crowd(5, 10n), { executions: 1 });
      openOn(scene, 1);
      payAndEnd(scene);
      must(world.base.send(settlement(scene)));
      must(world.base.send(build.closeSchedule(world, scene.schedule)));
    }
    // The first window creates the balances that the others pay, too: only those five were charged.
    const charged = 10n * WINDOW + 5n * RECIPIENT;
    expect(lamportsOf(world, world.authority) - before).toBe(charged - 10n * SESSION);
    const spent = [vault.employer, world.payer].map((at, place) => (owned[place] ?? 0n) - lamportsOf(world, at));
    expect(spent.reduce((sum, each) => sum + each)).toBe(charged);
  });
});

describe('the sponsor', () => {
  it('opens a wallet’s token account for the least amount and more; a smaller one needs an account', () => {
    const scene = done(settle);
    const { world, token } = scene;
    const set = effectOf(setLeastOpening, scene, build.setLeastOpening(world, token, 600n));
    expect(set.changes.pool).toEqual({ leastOpening: [0n, 600n] });
    expect(set.events).toEqual([{ __kind: 'LeastOpeningSet', mint: token.mint, amount: 600n }]);
    const [little, enough] = [599n, 600n].map((amount, at) => ({ number: BigInt(at + 1), amount, wallet: WALLET })) as [
      Payable,
      Payable,
    ];
    record(world, token, [little, enough]);
    const small = build.payOut(world, token, little);
    expect(refusal(payOut, scene, small)).toBe('BelowLeastOpening');
    const opened = effectOf(payOut, scene, build.payOut(world, token, enough));
    expect(opened.changes.walletToken).toMatchObject({ created: true });
    const { changes } = effectOf(payOut, scene, small);
    expect(changes.sponsor).toBeUndefined();
    expect(world.base.tokens(associatedToken(WALLET, token.mint, token.program))).toBe(1_199n);
    expect(readPool(world, token).leastOpening).toBe(600n);
  });

  it('opens none where governance and guardian say so, and neither says it alone', () => {
    const scene = done(settle);
    const { world, token } = scene;
    const { governance, guardian, stranger } = world;
    for (const [keys, error] of [
      [{ governance: stranger }, 'NotGovernance'],
      [{ governance: guardian }, 'NotGovernance'],
      [{ guardian: stranger }, 'NotGuardian'],
      [{ guardian: governance }, 'NotGuardian'],
    ] as const) {
      expect(refusal(setLeastOpening, scene, build.setLeastOpening(world, token, 0n, keys))).toBe(error);
    }
    must(world.base.send(build.setLeastOpening(world, token, 2n ** 64n - 1n)));
    const withdrawal = { number: 1n, amount: 600n, wallet: WALLET };
    record(world, token, [withdrawal]);
    expect(refusal(payOut, scene, build.payOut(world, token, withdrawal))).toBe('BelowLeastOpening');
  });
});
