import { freshWallet } from '@payouts/testing/wallets';
import { type Employer, inSeconds, type Payer, type World } from '@payouts/testing/world';
import type { Case } from './cases.ts';

/** Seconds that a window may stay open: far more than any case takes. */
const BATCH_TIMEOUT = 3_600;
/** Seconds from the promise of a case's schedules to their windows, so that all of them come due together. */
const DUE_IN = 2;

/** An employer with a token of their own, whom cases use one after the other. `schedules`: promised so far. */
export type Lane = Payer & { schedules: number };

/** Promises a case's lists, each of recipients whom nobody has paid before. */
export async function promiseCase(world: World, lane: Lane, { recipients, random }: Case): Promise<Employer[]> {
  const promised: Employer[] = [];
  for (const count of recipients) {
    const addresses = await Promise.all(Array.from({ length: count }, freshWallet));
    const payees = addresses.map((recipient) => ({ recipient, amount: BigInt(1_000 + random.below(1_000_000)) }));
    lane.schedules += 1;
    promised.push(
      await world.promise(lane, payees, {
        id: BigInt(lane.schedules),
        executions: 1,
        firstExecution: inSeconds(DUE_IN),
        batchTimeout: BATCH_TIMEOUT,
      }),
    );
  }
  return promised;
}
