import { CalendarUnit, getScheduleEncoder, PAYOUT_LEDGER_PROGRAM_ADDRESS, prepareList } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { BaseLedger, LedgerAccount } from '../../packages/coordinator/dist/ledger/ledger.js';
import { scheduleOver, somePayees } from '../../packages/coordinator/test/support/promised.ts';

/** A base ledger in memory on which the first `due` of the schedules of `registerMany` are due at `now`, unix seconds. */
export function ledgerWithDue(due: number, now: number): BaseLedger {
  const list = prepareList(somePayees(100));
  const schedule = (nextExecution: number): Uint8Array =>
    new Uint8Array(
      getScheduleEncoder().encode(
        scheduleOver(list, {
          unit: CalendarUnit.Seconds,
          every: 3_600,
          day: 0,
          nextExecution: BigInt(nextExecution),
          window: 3n,
          executionsLeft: 9,
          batchTimeout: 60,
        }),
      ),
    );
  const [dueNow, dueLater] = [schedule(now - 60), schedule(now + 86_400)];
  const isDue = (address: Address): boolean => Number(address.replaceAll('S', '').replaceAll('z', '0')) <= due;
  const base: Pick<BaseLedger, 'name' | 'accounts'> = {
    name: 'base',
    accounts: async ([clock, ...addresses]) => ({
      slot: 6n,
      accounts: [clock, ...addresses].map((address, place): LedgerAccount | null =>
        place === 0 || address === undefined
          ? null
          : { address, owner: PAYOUT_LEDGER_PROGRAM_ADDRESS, lamports: 1n, data: isDue(address) ? dueNow : dueLater },
      ),
    }),
  };
  return base as BaseLedger;
}
