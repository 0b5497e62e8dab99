import { randomBytes } from 'node:crypto';
import {
  balanceRent,
  type Claim,
  deriveBalanceAddress,
  fetchBatch,
  findBatchAddress,
  prepareList,
} from '@payouts/client';
import { getAddressDecoder } from '@solana/kit';
import { until } from './chain.ts';
import { Stage } from './stage.ts';

/** What a claim transaction of so many claims has cost. */
export type ClaimCost = { readonly balances: 'new' | 'known'; readonly claims: number; readonly units: number };

/** Leaves of a tree of depth 14. */
const RECIPIENTS = 10_000;
const AMOUNT = 1_000n;
/** Sizes of the claim transactions of the two windows, each going on where the one before ended. */
const WINDOWS = [
  { balances: 'new', sizes: [1, 8, 16, 31, 62, 62, 62, 62, 62, 62] },
  { balances: 'known', sizes: [1, 8, 31, 62, 122, 200] },
] as const;
/** Long enough for the claims, and the window's end is waited for. */
const TIMEOUT_SECONDS = 5;

/** Pays parts of a list of 10,000 in batches of several sizes, in one window to new balances, in the next to those. */
export async function measureClaims(): Promise<ClaimCost[]> {
  const stage = await Stage.set();
  try {
    const payees = Array.from({ length: RECIPIENTS }, () => ({
      recipient: getAddressDecoder().decode(randomBytes(32)),
      amount: AMOUNT,
    }));
    const list = prepareList(payees);
    const schedule = await stage.createSchedule({ id: 0n, list, executions: 2, batchTimeout: TIMEOUT_SECONDS });
    const batch = await findBatchAddress(schedule);
    const costs: ClaimCost[] = [];
    let paid = 0n;
    const pay = async (balances: ClaimCost['balances'], start: number, count: number) => {
      const claims = list.recipients.slice(start, start + count).map((leaf): Claim => {
        const { address, bump } = deriveBalanceAddress(stage.mint, leaf);
        return { ...leaf, balance: address, bump };
      });
      const { authority, config } = stage;
      const proof = list.tree.rangeProof(start, count);
      const units = await stage.chain.claim({ authority, config, batch, claims, proof });
      costs.push({ balances, claims: count, units });
    };

    for (const [window, { balances, sizes }] of WINDOWS.entries()) {
      await stage.open(schedule, BigInt(window), balanceRent(RECIPIENTS));
      let start = 0;
      for (const size of sizes) {
        await pay(balances, start, size);
        start += size;
      }
      const { data } = await fetchBatch(stage.chain.ledgers.layer, batch);
      const over = Number(data.openedAt) + TIMEOUT_SECONDS + 1;
      await until(async () => (Date.now() / 1000 > over ? true : undefined), 'the timeout');
      await stage.commit(schedule, BigInt(window));
      paid += BigInt(start) * AMOUNT;
      const liabilities = {
        sequence: BigInt(window) + 1n,
        root: randomBytes(32),
        total: paid,
        coveredTo: 1n,
        leaves: 1,
      };
      await stage.settle(schedule, BigInt(window), liabilities);
    }
    return costs;
  } finally {
    await stage.chain.stop();
  }
}
