import { DELEGATION_PROGRAM_ADDRESS } from '@payouts/client';
import { bytesOf, derive } from '@payouts/testing/litesvm/addresses';
import { delegationAccounts } from '@payouts/testing/litesvm/delegation';
import { LEDGER_PROGRAM } from '@payouts/testing/litesvm/programs';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { initConfig, initCounter } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { readCounter } from '../harness/read.ts';
import { effectIn, effectOf, refusal, refusalOfSecond } from './support/call.ts';
import { turnToOther } from './support/scenes.ts';

describe('init_counter', () => {
  it('creates the counter at 1 and delegates it to the pool’s validator', () => {
    const { scene, changes, events } = effectIn(initCounter);
    const { world, token } = scene;
    const { base } = world;
    const rent = {
      counter: base.minimumBalance(64),
      record: base.minimumBalance(96),
      metadata: base.minimumBalance(100),
    };
    const delegated = { created: true, owner: DELEGATION_PROGRAM_ADDRESS };
    expect(changes).toEqual({
      payer: { lamports: -rent.counter - rent.record - rent.metadata },
      counter: {
        ...delegated,
        lamports: rent.counter,
        size: 64,
        kind: 7,
        version: 1,
        bump: derive(LEDGER_PROGRAM, 'counter', bytesOf(token.mint)).bump,
        mint: token.mint,
        next: 1n,
      },
      delegationRecord: { ...delegated, lamports: rent.record, size: 96 },
      delegationMetadata: { ...delegated, lamports: rent.metadata, size: 100 },
    });
    expect(events).toEqual([{ __kind: 'CounterCreated', mint: token.mint }]);
    const record = base.data(delegationAccounts(token.counter).delegationRecord);
    expect(record.slice(8, 40)).toEqual(bytesOf(world.validator));
    expect(record.slice(40, 72)).toEqual(bytesOf(LEDGER_PROGRAM));
    expect(readCounter(world, token)).toMatchObject({ next: 1n, requested: 0n });
  });

  it('keeps to the pool’s validator when the config names another', () => {
    const { scene, instruction } = initCounter.prepare();
    const { world, token } = scene;
    turnToOther(world);
    effectOf(initCounter, scene, instruction);
    const record = world.base.data(delegationAccounts(token.counter).delegationRecord);
    expect(record.slice(8, 40)).toEqual(bytesOf(world.validator));
  });

  it('happens once for a mint', () => {
    expect(refusalOfSecond(initCounter)).toBe('AccountAlreadyInitialized');
  });

  it('is delegated for good: it is not let back', () => {
    const { world, token } = done(initCounter);
    const before = world.base.account(token.counter);
    expect(world.bringBack(token.counter).failure).toBe('InvalidCallback');
    expect(world.base.account(token.counter)).toEqual(before);
  });

  it('needs the mint’s pool', () => {
    const { world } = done(initConfig);
    const token = world.createToken('without a pool');
    expect(refusal(initCounter, { world, token }, build.initCounter(world, token))).toBe('InvalidAccount');
  });
});
