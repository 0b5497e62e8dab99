import { BatchPhase, DELEGATION_PROGRAM_ADDRESS } from '@payouts/client';
import { delegationAccounts, returnAccount } from '@payouts/testing/litesvm/delegation';
import { type BalancePage, balancePageOf } from '@payouts/testing/litesvm/handles';
import { NotDelegated } from '@payouts/testing/litesvm/layer';
import { LEDGER_PROGRAM } from '@payouts/testing/litesvm/programs';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from './fixtures/build.ts';
import { READERS_TAKE } from './fixtures/constants.ts';
import {
  commit,
  confirmWithdrawal,
  delegateSchedule,
  deposit,
  holderIn,
  openPages,
  openPersonal,
} from './fixtures/index.ts';
import { done } from './harness/fixture.ts';
import { pagesOf, rangeOf } from './harness/list.ts';
import { readBatch } from './harness/read.ts';
import { PAGE_RENT, personalRent } from './harness/rent.ts';

describe('the two ledgers of the program’s tests', () => {
  it('keep an account that is not delegated from being written in the layer', () => {
    const { world, vault } = done(deposit);
    expect(() => world.sendToLayer(build.deposit(vault, 1n))).toThrow(NotDelegated);
  });

  it('show the layer what the base has written since', () => {
    const { world, vault } = done(deposit);
    const deposited = () => Buffer.from(world.layer.data(vault.address)).readBigUInt64LE(120);
    const before = deposited();
    world.base.send(build.deposit(vault, 5n));
    expect(deposited()).toBe(before + 5n);
  });

  it('give the layer a delegated account with its program as owner, until it is back', () => {
    const { world, schedule } = done(delegateSchedule);
    const owners = () => [world.base.account(schedule.batch)?.owner, world.layer.account(schedule.batch)?.owner];
    expect(owners()).toEqual([DELEGATION_PROGRAM_ADDRESS, LEDGER_PROGRAM]);
    expect(world.layer.keeps(schedule.batch)).toBe(true);
    expect(world.bringBack(schedule.batch).failure).toBeUndefined();
    expect(owners()).toEqual([LEDGER_PROGRAM, LEDGER_PROGRAM]);
    expect(world.layer.keeps(schedule.batch)).toBe(false);
  });

  it('let a committed batch change no more, and bring it back through the delegation program and our callback', () => {
    const { world, schedule, list } = done(commit);
    expect([...world.returning]).toEqual([schedule.batch]);
    const late = world.sendToLayer(build.claimPayment(world, schedule, rangeOf(list, 0, 1)));
    expect(late.failure).toBe('InvalidAccount');
    const returned = world.bringBack(schedule.batch);
    expect(returned.callsOf(LEDGER_PROGRAM)).not.toEqual([]);
    expect(readBatch(world, schedule)).toMatchObject({ phase: BatchPhase.Closed, paidCount: 5 });
    expect(world.returning.size).toBe(0);
  });

  it('let no other validator bring a batch back or pay', () => {
    const { world, schedule } = done(commit);
    const metadata = world.base.data(delegationAccounts(schedule.batch).delegationMetadata);
    const data = world.layer.data(schedule.batch);
    const validator = world.otherValidator;
    const outcome = world.base.send(
      ...returnAccount({ validator, account: schedule.batch, metadata, data, lamports: 1n }),
    );
    expect(outcome.succeeded).toBe(false);

    const { world: paying } = done(confirmWithdrawal);
    const [action] = paying.actions;
    if (action === undefined) throw new Error('nothing was scheduled');
    expect(paying.act(action, paying.otherValidator).failure).toBe('NotValidator');
    expect(paying.act(action).failure).toBeUndefined();
    expect(paying.act(action).failure).toBe('WithdrawalAlreadyPaid');
  });

  it('charge the batch for the pages that it sponsors, and forget them when the layer is lost', () => {
    const { scene, instruction } = openPages.prepare();
    const { world, schedule, list } = scene;
    const lamports = () => world.layer.account(schedule.batch)?.lamports ?? 0n;
    const before = lamports();
    expect(world.sendToLayer(instruction).failure).toBeUndefined();
    expect(before - lamports()).toBe(PAGE_RENT);
    const owners = () => pagesOf(list.holders).map(({ address }) => world.layer.account(address)?.owner);
    expect(owners()).toEqual([LEDGER_PROGRAM]);
    world.loseLayer();
    expect(owners()).toEqual([undefined]);
    expect(readBatch(world, schedule)).toMatchObject({ phase: BatchPhase.Open, paidCount: 0 });
  });

  it('give the counter the rent of a personal account back that is closed', () => {
    const { scene } = openPersonal.prepare();
    const { world, token } = scene;
    const lamports = () => world.layer.account(token.counter)?.lamports ?? 0n;
    const before = lamports();
    must(world.sendToLayer(build.openPersonal(world, holderIn(scene))));
    expect(before - lamports()).toBe(personalRent());
    for (const step of [build.wipePersonal, build.closePersonal]) {
      world.setTime(world.now + READERS_TAKE);
      must(world.sendToLayer(step(world, holderIn(scene))));
    }
    expect(lamports()).toBe(before);
    expect(world.layer.keeps(holderIn(scene).personal)).toBe(false);
  });

  it('create a page for a call that can sign for it alone', () => {
    const { scene } = openPages.prepare();
    const { world, schedule, list } = scene;
    const [page] = pagesOf(list.holders) as [BalancePage];
    const { nonce, bump } = balancePageOf(page.token, 1);
    const outcome = world.sendToLayer(build.openPages(world, schedule, [{ ...page, nonce, bump }]));
    expect(outcome.failure).toBe('PrivilegeEscalation');
  });
});
