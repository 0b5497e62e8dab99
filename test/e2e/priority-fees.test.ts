import { metricIn, readMetrics } from '@payouts/testing/metrics';
import { variedPayees } from '@payouts/testing/wallets';
import { World } from '@payouts/testing/world';
import { expect, it } from 'vitest';

/** What the ledger asks for a place in a block, micro-lamports a compute unit. */
const BASE_BID = 40_000;
/** Lamports of priority fees that a window costs at most, by the default of PRIORITY_FEE_CAP. */
const MOST_A_WINDOW = 150_000;

/** What a coordinator says that it has paid, lamports. */
const paid = async (world: World): Promise<number> =>
  metricIn(await readMetrics(world.apiUrl), 'service_priority_fees_paid_lamports_total');

it('windows are opened and settled by what others pay, within what a window may cost, and for nothing where nobody pays', async () => {
  const world = await World.start();
  const employer = await world.begin(await variedPayees(5, 1_000_000n), {}, { METRICS_PUBLIC: 'true' });
  await world.register(employer);
  await world.settledInFull(employer, 0n);
  expect(await paid(world)).toBe(0);

  await world.localnet.admin.setHabits({ baseBid: BASE_BID });
  const other = await world.employer(await variedPayees(5, 1_000_000n));
  await world.register(other);
  await world.settledInFull(other, 0n);
  await world.checkPaid(1, employer, other);
  const cost = await paid(world);
  expect(cost).toBeGreaterThan(0);
  expect(cost).toBeLessThanOrEqual(MOST_A_WINDOW);
  const metrics = await readMetrics(world.apiUrl);
  for (const purpose of ['delegate', 'settle']) {
    const bid = metricIn(metrics, 'service_priority_fee_bid_micro_lamports', `purpose="${purpose}"`);
    expect(bid).toBeGreaterThanOrEqual(BASE_BID);
  }
});
