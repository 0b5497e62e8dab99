import { BatchPhase } from '@payouts/client';
import { named } from '@payouts/testing/litesvm/addresses';
import { tokenOf } from '@payouts/testing/litesvm/handles';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { claimPayment, fundCounter, openPersonal, type ScheduleScene } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { batchBytes, counterBytes, placeInLayer } from '../harness/write.ts';
import { effectOf, refusal } from './support/call.ts';

/** What the batch has beside what it needs itself. */
function spareOf({ world, schedule }: ScheduleScene): bigint {
  const { lamports = 0n, data = new Uint8Array() } = world.layer.account(schedule.batch) ?? {};
  return lamports - world.layer.ledger.minimumBalance(data.length);
}

const fund = ({ world, schedule }: ScheduleScene, lamports: bigint) => build.fundCounter(world, schedule, lamports);

describe('fund_counter', () => {
  it('moves lamports from an open window’s batch to the token’s counter', () => {
    const scene = done(claimPayment);
    const { changes, events } = effectOf(fundCounter, scene, fund(scene, 1_234n));
    expect(changes).toEqual({ batch: { lamports: -1_234n }, counter: { lamports: 1_234n } });
    expect(events).toEqual([]);
  });

  it('leaves the batch what it needs itself, to the lamport', () => {
    const scene = done(claimPayment);
    const spare = spareOf(scene);
    for (const lamports of [spare + 1n, 2n ** 63n]) {
      expect(refusal(fundCounter, scene, fund(scene, lamports))).toBe('InvalidAccount');
    }
    effectOf(fundCounter, scene, fund(scene, spare));
    expect(spareOf(scene)).toBe(0n);
  });

  it('refuses more lamports than there are numbers', () => {
    const scene = done(claimPayment);
    expect(refusal(fundCounter, scene, fund(scene, 2n ** 64n - 1n))).toBeDefined();
  });

  it('refuses another token’s counter', () => {
    const scene = done(claimPayment);
    const { world, schedule, vault } = scene;
    const token = tokenOf(named('another mint'), scene.token.program);
    const state = world.layer.account(scene.token.counter);
    if (state === undefined) throw new Error('no counter');
    const data = counterBytes(state.data, { mint: token.mint });
    world.layer.place({ ...state, address: token.counter, data });
    const call = build.fundCounter(world, { ...schedule, vault: { ...vault, token } }, 1n);
    expect(refusal(fundCounter, scene, call)).toBe('InvalidAccount');
  });

  it('refuses a batch that is not open', () => {
    const scene = done(claimPayment);
    for (const phase of [BatchPhase.Idle, BatchPhase.Closed]) {
      placeInLayer(scene.world, scene.schedule.batch, (data) => batchBytes(data, { phase }));
      expect(refusal(fundCounter, scene, fund(scene, 1n))).toBe('BatchNotOpen');
    }
  });

  it('is what lets a recipient ask for something: without it the counter pays for no account', () => {
    const scene = done(claimPayment);
    const { world, list } = scene;
    const call = build.openPersonal(world, list.holders[0] as (typeof list.holders)[number]);
    expect(refusal(openPersonal, scene, call)).toBe('SponsorShort');
    must(world.sendToLayer(fund(scene, spareOf(scene))));
    effectOf(openPersonal, scene, call);
  });
});
