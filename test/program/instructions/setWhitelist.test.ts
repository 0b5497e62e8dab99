import { bytesOf, derive, named } from '@payouts/testing/litesvm/addresses';
import { LEDGER_PROGRAM } from '@payouts/testing/litesvm/programs';
import { START } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { SUBJECT } from '../fixtures/constants.ts';
import { setWhitelist } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { created, effectIn, effectOf, refusal } from './support/call.ts';

describe('set_whitelist', () => {
  it('creates the subject’s entry', () => {
    const { scene, changes, events } = effectIn(setWhitelist);
    const rent = scene.world.base.minimumBalance(96);
    expect(changes).toEqual({
      payer: { lamports: -rent },
      entry: {
        ...created(9, 96, rent),
        bump: derive(LEDGER_PROGRAM, 'whitelist', bytesOf(SUBJECT)).bump,
        allowed: 1,
        subject: SUBJECT,
        setAt: START,
      },
    });
    expect(events).toEqual([{ __kind: 'WhitelistSet', subject: SUBJECT, allowed: 1 }]);
  });

  it('closes the entry of who is taken off, whose lamports go to the payer', () => {
    const scene = done(setWhitelist);
    const { world } = scene;
    const { changes, events } = effectOf(setWhitelist, scene, build.setWhitelist(world, SUBJECT, 0));
    expect(changes).toEqual({ payer: { lamports: world.base.minimumBalance(96) }, entry: { removed: true } });
    expect(events).toEqual([{ __kind: 'WhitelistSet', subject: SUBJECT, allowed: 0 }]);
    effectOf(setWhitelist, scene, build.setWhitelist(world, SUBJECT, 1));
  });

  it('says again who is welcome, for no lamports', () => {
    const scene = done(setWhitelist);
    const { world } = scene;
    world.setTime(START + 9n);
    const { changes } = effectOf(setWhitelist, scene, build.setWhitelist(world, SUBJECT, 1));
    expect(changes).toEqual({ entry: { setAt: [START, START + 9n] } });
  });

  it('can take somebody off who was never on it, and makes no entry', () => {
    const { scene } = setWhitelist.prepare();
    const other = named('never welcome');
    expect(effectOf(setWhitelist, scene, build.setWhitelist(scene.world, other, 0)).changes).toEqual({});
  });

  it('refuses anything but yes and no', () => {
    const { scene } = setWhitelist.prepare();
    expect(refusal(setWhitelist, scene, build.setWhitelist(scene.world, SUBJECT, 2))).toBe('InvalidData');
  });
});
