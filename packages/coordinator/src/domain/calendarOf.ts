import { type Calendar, type CalendarUnitName, timeOfDate } from '@payouts/client';

type Columns = {
  readonly unit: CalendarUnitName;
  readonly every: number;
  readonly day: number;
  readonly dates: readonly number[] | null;
};

/** When a schedule is paid, as its columns keep it. */
export const calendarOf = ({ unit, every, day, dates }: Columns): Calendar => ({
  unit,
  every,
  ...(day !== 0 && { day }),
  ...(dates !== null && { dates: dates.map(timeOfDate) }),
});
