import { BatchPhase, DELEGATION_PROGRAM_ADDRESS } from '@payouts/client';
import { delegationAccounts, returnAccount } from '@payouts/testing/litesvm/delegation';
import { NotDelegated } from '@payouts/testing/litesvm/layer';
import { LEDGER_PROGRAM } from '@payouts/testing/litesvm/programs';
import { describe, expect, it } from 'vitest';
import * as build from './fixtures/build.ts';
import { claimPayment, commit, confirmWithdrawal, delegateSchedule, deposit } from './fixtures/index.ts';
import { done } from './harness/fixture.ts';
import { rangeOf } from './harness/list.ts';
import { readBatch } from './harness/read.ts';

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
    expect(returned.called.map(({ program }) => program)).toContain(LEDGER_PROGRAM);
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

  it('charge the batch for the balances that it sponsors, and forget them when the layer is lost', () => {
    const { scene, instruction } = claimPayment.prepare();
    const { world, schedule, list } = scene;
    const lamports = () => world.layer.account(schedule.batch)?.lamports ?? 0n;
    const before = lamports();
    expect(world.sendToLayer(instruction).failure).toBeUndefined();
    expect(before - lamports()).toBe(5n * 32n * (208n + 60n));
    const balances = () => list.holders.map(({ balance }) => world.layer.account(balance)?.owner);
    expect(balances()).toEqual(list.holders.map(() => LEDGER_PROGRAM));
    world.loseLayer();
    expect(balances()).toEqual(list.holders.map(() => undefined));
    expect(readBatch(world, schedule)).toMatchObject({ phase: BatchPhase.Open, paidCount: 0 });
  });

  it('create a balance for a claim that can sign for it alone', () => {
    const { scene } = claimPayment.prepare();
    const { world, schedule, list } = scene;
    const range = rangeOf(list, 0, 1);
    const entries = range.entries.map((entry) => ({ ...entry, bump: entry.bump - 1 }));
    const outcome = world.sendToLayer(build.claimPayment(world, schedule, { ...range, entries }));
    expect(outcome.failure).toBe('PrivilegeEscalation');
  });
});
