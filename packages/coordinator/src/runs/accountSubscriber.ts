import { SCHEDULE_KIND } from '@payouts/client';
import { scheduleOf } from '../ledger/accounts.ts';
import { observedSchedule } from '../ledger/observedSchedule.ts';
import { type WatchInput, watchAccounts } from '../ledger/watch.ts';
import { errorFields } from '../platform/log/errorFields.ts';
import type { Metrics } from '../platform/metrics.ts';
import { saveObservedSchedules } from '../store/queries/schedules.ts';
import type { Db } from '../store/schema.ts';
import { keepChanges } from './changes.ts';

/**
 * Keeps the store's view of registered schedules true as they change on the base ledger, until the signal. Of the processes that share a
 * store, one does.
 */
export async function followSchedules(
  input: Omit<WatchInput, 'name' | 'kind' | 'onChange' | 'onState' | 'metrics'> & {
    readonly database: Db;
    readonly metrics: Metrics;
  },
): Promise<void> {
  const { program, database, time, log, metrics, signal } = input;
  let isConnected = true;
  const keep = keepChanges({
    time,
    save: (seen) => saveObservedSchedules(database, seen),
    onError: (error) => log.warn(errorFields(error), 'a change could not be kept'),
    signal,
  });
  await watchAccounts({
    ...input,
    name: 'schedule-changes',
    kind: SCHEDULE_KIND,
    onChange(account, slot) {
      const schedule = scheduleOf(account, program);
      if (schedule === undefined) return;
      // Of a schedule that nobody has registered, nothing is kept.
      keep(observedSchedule(account.address, schedule, slot, time.now()));
    },
    onState(connected) {
      metrics.subscription.set(connected ? 1 : 0);
      if (connected === isConnected) return;
      isConnected = connected;
      if (connected) log.info('following schedules on the base ledger again');
      else log.warn({}, 'lost the subscription to schedules');
    },
  });
  metrics.subscription.set(0);
}
