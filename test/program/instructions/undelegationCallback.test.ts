import { BatchPhase } from '@payouts/client';
import { bytesOf, named } from '@payouts/testing/litesvm/addresses';
import { undelegationBufferOf } from '@payouts/testing/litesvm/delegation';
import { LEDGER_PROGRAM } from '@payouts/testing/litesvm/programs';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { batchSeeds, callbackData, placeBuffer } from '../fixtures/delegationProgram.ts';
import { delegateSchedule, undelegationCallback } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { batchBytes } from '../harness/write.ts';
import { created, effectIn, effectOf, refusal } from './support/call.ts';
import { bitmapHash } from './support/hashes.ts';
import { bits, pay } from './support/window.ts';

type Scene = ReturnType<typeof undelegationCallback.prepare>['scene'];

const call = ({ world, schedule }: Scene, data: Uint8Array, delegated = schedule.batch) =>
  build.undelegationCallback(delegated, world.validator, data);

describe('the undelegation callback', () => {
  it('restores the batch from the buffer, as it is; the payer pays its rent', () => {
    const { scene, changes, events } = effectIn(undelegationCallback);
    const { world, schedule, token, list } = scene;
    const rent = world.base.minimumBalance(320);
    expect(changes).toEqual({
      delegated: {
        ...created(6, 320, rent),
        bump: expect.any(Number),
        phase: BatchPhase.Closed,
        recipients: 5,
        schedule: schedule.address,
        mint: token.mint,
        root: list.tree.root,
        openedAt: world.now,
        batchTimeout: 30,
        paidCount: 5,
        amount: 10_500n,
        paidAmount: 10_500n,
        bitmapHash: bitmapHash(schedule, 0n, bits(1, 0, 1, 2, 3, 4)),
        newCount: 5,
        bitmapPages: 1,
      },
      payer: { lamports: -rent },
    });
    expect(events).toEqual([]);
  });

  it('lets a batch back in any phase, also one that was never committed', () => {
    const scene = done(delegateSchedule);
    pay(scene, 0, 2);
    must(scene.world.bringBack(scene.schedule.batch));
    expect(scene.world.base.account(scene.schedule.batch)?.owner).toBe(LEDGER_PROGRAM);
  });

  describe('refuses seeds that', () => {
    const { scene } = undelegationCallback.prepare();
    const [name, schedule] = batchSeeds(scene.schedule) as [Uint8Array, Uint8Array];
    it.each<[string, Uint8Array, string]>([
      ['are a counter’s', callbackData(Buffer.from('counter'), bytesOf(scene.token.mint)), 'InvalidCallback'],
      ['are one', callbackData(name), 'InvalidData'],
      ['are three', callbackData(name, schedule, schedule), 'InvalidData'],
      ['say that they are three', callbackData(name, schedule).with(8, 3), 'InvalidCallback'],
      ['have a short address', callbackData(name, schedule.slice(1)), 'InvalidCallback'],
      ['have a long address', callbackData(name, new Uint8Array([...schedule, 0])), 'InvalidCallback'],
      ['have a long name', callbackData(Buffer.from('batch '), schedule), 'InvalidCallback'],
      ['say a length beyond the data', callbackData(name, schedule).with(12, 200), 'InvalidData'],
      ['are another schedule’s', callbackData(name, bytesOf(named('another schedule'))), 'InvalidAddress'],
    ])('%s', (_, data, error) => {
      expect(refusal(undelegationCallback, scene, call(scene, data))).toBe(error);
    });

    it('are a vault’s, at a vault’s address', () => {
      const { vault } = scene;
      const data = callbackData(Buffer.from('vault'), bytesOf(vault.employer));
      expect(refusal(undelegationCallback, scene, call(scene, data, vault.address))).toBe('InvalidCallback');
    });
  });

  it.each<[string, (data: Uint8Array) => Uint8Array]>([
    ['are of another kind', (data) => data.with(0, 4)],
    ['are of another version', (data) => data.with(1, 2)],
    ['are too few', (data) => data.slice(0, 191)],
    ['name another schedule', (data) => batchBytes(data, { schedule: named('another schedule') })],
  ])('refuses bytes that %s', (_, change) => {
    const { scene, instruction } = undelegationCallback.prepare();
    const { world, schedule } = scene;
    const { batch } = schedule;
    placeBuffer(world, batch, change(world.base.data(undelegationBufferOf(batch))));
    expect(refusal(undelegationCallback, scene, instruction)).toBe('InvalidCallback');
  });

  it('takes bytes that lie within a batch’s form: settle bounds them', () => {
    const { scene, instruction } = undelegationCallback.prepare();
    const { world, schedule } = scene;
    const lie = { paidAmount: 2n ** 64n - 1n, paidCount: 9, window: 7n, amount: 1n, phase: BatchPhase.Open };
    placeBuffer(world, schedule.batch, batchBytes(world.base.data(undelegationBufferOf(schedule.batch)), lie));
    const { changes } = effectOf(undelegationCallback, scene, instruction);
    expect(changes.delegated).toMatchObject(lie);
  });

  it('takes no data that ends early or goes on', () => {
    const { scene } = undelegationCallback.prepare();
    const data = callbackData(...batchSeeds(scene.schedule));
    for (const wrong of [data.slice(0, -1), new Uint8Array([...data, 0]), data.slice(0, 8), data.slice(0, 7)]) {
      expect(refusal(undelegationCallback, scene, call(scene, wrong))).toBe('InvalidData');
    }
  });
});
