import { named, signer } from '@payouts/testing/litesvm/addresses';
import { SYSTEM_PROGRAM } from '@payouts/testing/litesvm/programs';
import { World } from '@payouts/testing/litesvm/world';
import { getCreateAccountInstruction } from '@solana-program/system';
import { describe, expect, it } from 'vitest';
import { aheadInLayer, aheadOf, type Creator, creators, layerCreators } from './negatives/ahead.ts';

describe('lamports sent ahead to whatever it creates do not stop', () => {
  it.each(creators.map((creator) => [creator.name, creator] as const))('%s', (_, creator) => {
    expect(aheadOf(creator).filter(({ failure }) => failure !== undefined)).toEqual([]);
  });

  it.each(layerCreators)('$name in the layer, which is done elsewhere then', (creator) => {
    const trials = aheadInLayer(creator);
    expect(trials.length).toBeGreaterThanOrEqual(2);
    expect(trials.filter(({ failure }) => failure !== undefined)).toEqual([]);
  });

  it('an account that is delegated, whose buffer, record and metadata are among them', () => {
    for (const name of ['initCounter', 'delegateSchedule']) {
      const creator = creators.find((each) => each.name === name) as Creator;
      expect(new Set(aheadOf(creator).map(({ address }) => address)).size).toBeGreaterThanOrEqual(7);
    }
  });

  it('anything but a plain creation, which is found', () => {
    const plain: Creator = {
      name: 'a plain creation',
      prepare() {
        const world = new World();
        const created = named('created plainly');
        const call = getCreateAccountInstruction({
          payer: signer(world.payer),
          newAccount: signer(created),
          lamports: 1_000_000n,
          space: 10,
          programAddress: SYSTEM_PROGRAM,
        });
        return { world, accounts: [created], run: () => world.base.send(call) };
      },
    };
    expect(aheadOf(plain).map(({ failure }) => failure === undefined)).toEqual([false, false]);
  });
});
