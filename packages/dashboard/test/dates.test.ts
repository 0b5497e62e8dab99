import { payDaysOf, payDayText } from '@payouts/employer/payDays';
import { expect, it } from 'vitest';
import { type DatesForm, datesText, FIRST_DATES } from '../src/views/mine/dates.ts';

/** 2026-11-27T10:00Z, a Friday. */
const NOW = Date.UTC(2026, 10, 27, 10) / 1_000;

/** The first three dates that the form asks for, in its zone. */
async function dates(form: Partial<DatesForm>): Promise<string[]> {
  const asked = datesText({ ...FIRST_DATES, zone: 'Europe/Berlin', first: '2026-12-01', ...form });
  const { calendar } = await payDaysOf(asked, 3, { now: NOW });
  return (calendar.dates ?? []).map((date) => payDayText(date, 'Europe/Berlin'));
}

// 27 and 31 December 2026 are a Sunday and a Thursday, 1 January a Friday.
it.each<[string, Partial<DatesForm>, string[]]>([
  ['a day of each month', { on: '27' }, ['Fri 25 Dec 2026 09:00', 'Wed 27 Jan 2027 09:00', 'Fri 26 Feb 2027 09:00']],
  [
    'two days of each month',
    { rule: 'twice', on: '1', also: 'last', at: '08:30' },
    ['Tue 1 Dec 2026 08:30', 'Thu 31 Dec 2026 08:30', 'Fri 1 Jan 2027 08:30'],
  ],
  [
    'weeks',
    { rule: 'weeks', count: '2', on: '15' },
    ['Tue 1 Dec 2026 09:00', 'Tue 15 Dec 2026 09:00', 'Tue 29 Dec 2026 09:00'],
  ],
  [
    'months, on the last business day',
    { rule: 'months', count: '3', on: 'last-business-day', ifClosed: 'keep' },
    ['Thu 31 Dec 2026 09:00', 'Wed 31 Mar 2027 09:00', 'Wed 30 Jun 2027 09:00'],
  ],
  [
    'years, from the day after',
    { rule: 'year', on: '25', holidays: 'DE', ifClosed: 'after' },
    ['Mon 28 Dec 2026 09:00', 'Mon 27 Dec 2027 09:00', 'Wed 27 Dec 2028 09:00'],
  ],
  [
    'days that are kept',
    { on: '27', ifClosed: 'keep' },
    ['Sun 27 Dec 2026 09:00', 'Wed 27 Jan 2027 09:00', 'Sat 27 Feb 2027 09:00'],
  ],
])('asks for %s', async (_, form, expected) => {
  expect(await dates(form)).toEqual(expected);
});
