import { randomBytes } from 'node:crypto';
import { addressFromBytes } from '@payouts/client';
import type { Kysely } from 'kysely';
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
  await database
    .insertInto('schedules')
    .values({
      address,
      vault: address,
      mint: terms.mint ?? address,
      root: '00',
      root_version: 0,
      status: terms.status ?? 'active',
      phase: terms.phase ?? 'idle',
      window_number: terms.window ?? 0,
      next_execution: terms.due ?? 4_000_000_000n,
      executions_left: 5,
      recipients: terms.recipients ?? 3,
      amount: '9',
      unit: 'days',
      every: 1,
      day: 0,
      batch_timeout: 60,
      seen_slot: 1,
      seen_at: 1,
      registered_at: 1,
    })
    .execute();
  return address;
}
