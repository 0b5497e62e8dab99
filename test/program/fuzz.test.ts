import { seed as ordinary } from '@payouts/testing/seed';
import { shareOf } from '@payouts/testing/share';
import { expect, it } from 'vitest';
import { fuzz } from './fuzz/run.ts';

const STEPS = 20_000;

// The first one once had a coordinator claim that less than nothing had moved in.
it.each(shareOf([3_568_731_505, ordinary], 1))(
  'keeps every money rule over 20,000 random instructions, seed %i',
  async (seed) => {
    const { steps, tally, violation } = await fuzz({ steps: STEPS, seed });
    expect(violation).toBeUndefined();
    expect(steps).toBeGreaterThanOrEqual(STEPS);
    expect(tally.missing).toEqual([]);
  },
  300_000,
);

it('does the same for the same seed', async () => {
  const run = async () => {
    const { steps, tally } = await fuzz({ steps: 500, seed: 7 });
    return { steps, table: String(tally) };
  };
  expect(await run()).toEqual(await run());
});
