import { randomBytes } from 'node:crypto';
import { addressFromBytes } from '@payouts/client';
import type { Kysely, Updateable } from 'kysely';
import type { ObservedSchedule } from '../../src/store/queries/schedules.ts';
import type { Tables } from '../../src/store/schema.ts';

/** What a test cares about in a registered schedule; `due` in unix seconds. */
export type ScheduleTerms = {
  readonly address?: string;
  readonly mint?: string;
  readonly status?: 'active' | 'paused' | 'cancelled' | 'awaiting';
  readonly phase?: 'idle' | 'open';
  readonly due?: bigint;
  readonly window?: number;
  readonly recipients?: number;
};

/** Records a registered schedule that is on no ledger; returns its address. */
export async function addSchedule(database: Kysely<Tables>, terms: ScheduleTerms): Promise<string> {
  const address = terms.address ?? addressFromBytes(randomBytes(32));
  const { window, due, ...columns } = terms;
  const seen = observedSchedule(address, {
    ...columns,
    ...(window !== undefined && { window_number: window }),
    ...(due !== undefined && { next_execution: due }),
  });
  await database
    .insertInto('schedules')
    .values({ ...seen, registered_at: 1 })
    .execute();
  return address;
}

/** A schedule's columns as they are read from a ledger: its next window is far away. */
export const observedSchedule = (address: string, columns: Partial<ObservedSchedule> = {}): ObservedSchedule => ({
  address,
  vault: address,
  mint: address,
  root: '00',
  root_version: 0,
  status: 'active',
  phase: 'idle',
  window_number: 0,
  next_execution: 4_000_000_000n,
  executions_left: 5,
  kept: 0,
  kept_reserved: 0,
  recipients: 3,
  amount: '9',
  unit: 'days',
  every: 1,
  day: 0,
  batch_timeout: 60,
  seen_slot: 1,
  seen_at: 1,
  ...columns,
});

/** Changes columns of a registered schedule. */
export const changeSchedule = (database: Kysely<Tables>, address: string, columns: Updateable<Tables['schedules']>) =>
  database.updateTable('schedules').set(columns).where('address', '=', address).execute();
