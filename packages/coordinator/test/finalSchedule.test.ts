import { getScheduleEncoder, prepareList, PAYOUT_LEDGER_PROGRAM_ADDRESS as program } from '@payouts/client';
import { manualTime } from '@payouts/testing/manualTime';
import type { Address } from '@solana/kit';
import { expect, it } from 'vitest';
import { awaitFinalRoot } from '../src/ledger/finalSchedule.ts';
import type { BaseLedger, Commitment } from '../src/ledger/ledger.ts';
import { randomAddress, scheduleOver, somePayees } from './support/promised.ts';

const list = prepareList(somePayees(5));
const root = Buffer.from(list.root).toString('hex');
const data = new Uint8Array(getScheduleEncoder().encode(scheduleOver(list)));

/** Waits for a schedule that is confirmed, and final so many milliseconds later; tells what was seen, and how long that took. */
async function wait(finalAfterMs: number) {
  const time = manualTime();
  const begun = time.monotonic();
  const afterMs = () => time.monotonic() - begun;
  const base = {
    accounts: async (addresses: readonly Address[], commitment?: Commitment) => ({
      slot: 1n,
      accounts: addresses.map(() =>
        commitment === 'finalized' && afterMs() < finalAfterMs ? null : { owner: program, lamports: 1n, data },
      ),
    }),
  } as unknown as BaseLedger;
  const seen = await time.during(awaitFinalRoot({ base, program, address: randomAddress(), time }, root));
  return { isSeen: seen !== undefined, afterMs: afterMs() };
}

it('a schedule that is confirmed is awaited for as long as a cluster takes to make it final, and not for ever', async () => {
  expect(await wait(0)).toEqual({ isSeen: true, afterMs: 0 });
  expect(await wait(13_000)).toEqual({ isSeen: true, afterMs: 13_000 });
  const { isSeen, afterMs } = await wait(60_000);
  expect(isSeen).toBe(false);
  expect(afterMs).toBeGreaterThan(20_000);
  expect(afterMs).toBeLessThan(22_000);
});
