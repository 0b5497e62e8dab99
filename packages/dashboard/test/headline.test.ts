import { expect, it } from 'vitest';
import type { Overview } from '../src/api/types.ts';
import { headlineOf } from '../src/views/overview/headline.ts';

const NOW = 1_800_000_000_000;
const token = { mint: 'M'.repeat(44), symbol: 'USDC', decimals: 6 };
const of = { schedulePda: 'S'.repeat(44), vault: 'V'.repeat(44), ...token };
const quiet: Overview = {
  now: NOW,
  ledgerNow: NOW,
  version: '0.1.0',
  schedules: { registered: 3, active: 3, paused: 0, completed: 0, cancelled: 0, awaiting: 0, listMissing: 0 },
  runs: { settled: 20 },
  overdue: 0,
  fundingLow: 0,
  windowsLate: 0,
  withdrawalsStuck: null,
  nextDue: [{ ...of, window: '4', dueAt: NOW + 720_000, amountPerExecution: '1', recipients: 2, isCovered: true }],
  funding: [],
};
const shortIn = (seconds: number, isPromised = true): Overview['funding'] => [
  {
    ...of,
    available: '0',
    reserved: '0',
    windowsCovered: 1,
    shortfall: { amount: '1', dueAt: NOW + seconds * 1_000, isPromised },
    sentence: '',
  },
];
const DAY = 86_400;

it.each<[what: string, change: Partial<Overview>, kind: string, sentence: string, because: string]>([
  ['all is well', {}, 'good', 'Everybody is being paid.', 'The next window is due in 12 min.'],
  [
    'one is running',
    { runs: { running: 1 } },
    'good',
    'Everybody is being paid.',
    '1 window is being paid now. The next window is due in 12 min.',
  ],
  ['money ends in a year', { funding: shortIn(365 * DAY) }, 'good', 'Everybody is being paid.', 'The next window'],
  [
    'money ends soon',
    { funding: shortIn(3 * DAY) },
    'warn',
    'Everybody is being paid, but money runs short.',
    '1 schedule runs out of money, the first in 3 days.',
  ],
  ['a schedule ends soon', { funding: shortIn(3 * DAY, false) }, 'good', 'Everybody is being paid.', 'The next window'],
  ['one is held', { runs: { held: 1 } }, 'warn', 'Not everybody is being paid.', '1 window is on hold'],
  ['one is overdue', { overdue: 2 }, 'warn', 'Not everybody is being paid.', '2 windows are overdue.'],
  ['one is late', { windowsLate: 1 }, 'warn', 'Not everybody is being paid.', '1 window is late.'],
  [
    'withdrawals are stuck',
    { withdrawalsStuck: 1 },
    'warn',
    'Not everybody is being paid.',
    'Withdrawals of 1 token are stuck.',
  ],
  [
    'a list lacks',
    { schedules: { ...quiet.schedules, listMissing: 1 } },
    'warn',
    'Not everybody is being paid.',
    '1 schedule lacks a registered list.',
  ],
  [
    'one is exhausted, another failed',
    { runs: { exhausted: 1, failed: 1, held: 1 } },
    'bad',
    'Not everybody is being paid.',
    '2 windows have stopped and need an operator. 1 window is on hold',
  ],
  [
    'nothing is registered',
    { schedules: { ...quiet.schedules, registered: 0 }, nextDue: [] },
    'idle',
    'No payroll yet.',
    'No schedule is registered',
  ],
])('says in one sentence when %s', (_, change, kind, sentence, because) => {
  const headline = headlineOf({ ...quiet, ...change });
  expect(headline).toMatchObject({ kind, sentence });
  expect(headline.because.join(' ')).toContain(because);
});
