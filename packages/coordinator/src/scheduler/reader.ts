import type { Address } from '@solana/kit';
import type { Kysely } from 'kysely';
import type { RunKey } from '../domain/run.ts';
import { dueWindow } from '../domain/schedule.ts';
import { scheduleOf, termsOf } from '../ledger/accounts.ts';
import { CLOCK_ADDRESS, clockTime, type LedgerClock } from '../ledger/clock.ts';
import type { BaseLedger } from '../ledger/ledger.ts';
import { seenSchedule } from '../ledger/seen.ts';
import { saveSeenSchedule } from '../store/queries/schedules.ts';
import type { Tables } from '../store/schema.ts';

/** Schedules in one reading, beside the clock. */
export const READ_AT_ONCE = 99;

/** A window that is due, and how many recipients it has. */
export type DueWindow = RunKey & { readonly recipients: number };

/** Reads the clock and these schedules from the base ledger, keeps what is seen, and returns the windows that are due there. */
export async function readSchedules(
  input: {
    readonly base: BaseLedger;
    readonly clock: LedgerClock;
    readonly database: Kysely<Tables>;
    readonly program: Address;
  },
  addresses: readonly string[],
): Promise<DueWindow[]> {
  const { base, clock, database, program } = input;
  const { slot, accounts } = await base.accounts([CLOCK_ADDRESS, ...(addresses as Address[])]);
  const now = clockTime(accounts[0] ?? null);
  if (now !== undefined) clock.learn(now);
  const due: DueWindow[] = [];
  for (const [place, address] of addresses.entries()) {
    const schedule = scheduleOf(accounts[place + 1] ?? null, program);
    if (schedule === undefined) continue;
    await saveSeenSchedule(database, seenSchedule(address, schedule, slot, Date.now()));
    const window = dueWindow(termsOf(schedule), clock.now());
    if (window !== undefined) due.push({ schedule: address, window, recipients: schedule.recipients });
  }
  return due;
}
