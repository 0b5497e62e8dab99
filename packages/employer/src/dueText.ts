import { dueAt, millisOf, NO_DATE, type Schedule } from '@payouts/client';

/** When a schedule's next window may open, in words; `timeText` takes unix milliseconds. */
export function dueText(schedule: Schedule, timeText: (at: number) => string): string {
  const due = dueAt(schedule);
  return due === NO_DATE ? 'no date is left: add windows with more dates' : timeText(millisOf(due));
}
