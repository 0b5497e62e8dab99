import type { Time } from '@payouts/client';
import type { Address, TransactionPartialSigner } from '@solana/kit';
import { dueWindow } from '../domain/schedule.ts';
import { scheduleOf, termsOf } from '../ledger/accounts.ts';
import { CLOCK_ADDRESS, clockTime, type LedgerClock } from '../ledger/clock.ts';
import type { BaseLedger, LedgerAccount } from '../ledger/ledger.ts';
import { observedSchedule } from '../ledger/observedSchedule.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { DueWindow } from '../store/queries/runs.ts';
import { type ObservedSchedule, saveClosedSchedules, saveObservedSchedules } from '../store/queries/schedules.ts';
import type { Db } from '../store/schema.ts';
import { openingsLeft } from './funding.ts';

/** Schedules in one reading, beside the clock, the execution authority and the relay. */
export const READ_AT_ONCE = 97;

export type ReaderInput = {
  readonly base: BaseLedger;
  readonly clock: LedgerClock;
  readonly database: Db;
  readonly program: Address;
  readonly authority: Pick<TransactionPartialSigner, 'address'>;
  readonly relay?: Pick<TransactionPartialSigner, 'address'> | undefined;
  readonly time: Time;
  readonly metrics: Metrics;
};

/**
 * Reads the clock, the balances of the execution authority and the relay, and these schedules, at most `READ_AT_ONCE`, from the base ledger, keeps
 * what is seen, and returns the windows that are due there.
 */
export async function readSchedules(input: ReaderInput, addresses: readonly string[]): Promise<DueWindow[]> {
  const { base, clock, database, program, authority, relay, time, metrics } = input;
  const payers = [authority.address, ...(relay === undefined ? [] : [relay.address])];
  const { slot, accounts } = await base.accounts([CLOCK_ADDRESS, ...payers, ...(addresses as Address[])]);
  const [shown = null, ...others] = accounts;
  const now = clockTime(shown);
  if (now !== undefined) clock.learn(now);
  observeBalance(metrics, others[0] ?? null);
  if (relay !== undefined) metrics.relayLamports.set(Number(others[1]?.lamports ?? 0n));
  const due: DueWindow[] = [];
  const seen: ObservedSchedule[] = [];
  const closed: string[] = [];
  for (const [place, address] of addresses.entries()) {
    const schedule = scheduleOf(others[payers.length + place] ?? null, program);
    if (schedule === undefined) {
      closed.push(address);
      continue;
    }
    seen.push(observedSchedule(address, schedule, slot, time.now()));
    const window = dueWindow(termsOf(schedule), clock.now());
    if (window !== undefined) due.push({ schedule: address, window, recipients: schedule.recipients });
  }
  await saveObservedSchedules(database, seen);
  await saveClosedSchedules(database, closed, { slot, time: time.now() });
  return due;
}

/** Keeps the gauges of the execution authority's balance true: the last one stands while the ledger can't be read. */
function observeBalance(metrics: Metrics, authority: LedgerAccount | null): void {
  const lamports = authority?.lamports ?? 0n;
  metrics.authorityLamports.set(Number(lamports));
  metrics.authorityOpenings.set(openingsLeft(lamports));
}
