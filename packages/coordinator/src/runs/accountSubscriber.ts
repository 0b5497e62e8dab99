import { SCHEDULE_KIND } from '@payouts/client';
import { scheduleOf } from '../ledger/accounts.ts';
import { observedSchedule } from '../ledger/observedSchedule.ts';
import { type WatchInput, watchAccounts } from '../ledger/watch.ts';
import { errorFields } from '../platform/log/errorFields.ts';
import type { Logger } from '../platform/log/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { saveObservedSchedules } from '../store/queries/schedules.ts';
import type { Db } from '../store/schema.ts';
import { keepChanges } from './changes.ts';

/**
 * Keeps the store's view of registered schedules true as they change on the base ledger, until the signal. Of the processes that share a
 * store, one does.
 */
export async function followSchedules(
  input: Pick<WatchInput, 'url' | 'program' | 'time' | 'signal'> & {
    readonly database: Db;
    readonly log: Logger;
    readonly metrics: Metrics;
  },
): Promise<void> {
  const { url, program, database, time, log, metrics, signal } = input;
  let isConnected = true;
  const keep = keepChanges({
    time,
    save: (seen) => saveObservedSchedules(database, seen),
    onError: (error) => log.warn(errorFields(error), 'a change could not be kept'),
    signal,
  });
  await watchAccounts({
    url,
    program,
    kind: SCHEDULE_KIND,
    time,
    signal,
    onChange(account, slot) {
      const schedule = scheduleOf(account, program);
      if (schedule === undefined) return;
      // Of a schedule that nobody has registered, nothing is kept.
      keep(observedSchedule(account.address, schedule, slot, time.now()));
    },
    onState(connected, error) {
      metrics.subscription.set(connected ? 1 : 0);
      if (connected === isConnected) return;
      isConnected = connected;
      if (connected) log.info('following schedules on the base ledger again');
      else log.warn(error === undefined ? {} : errorFields(error), 'lost the subscription to schedules');
    },
  });
  metrics.subscription.set(0);
}
