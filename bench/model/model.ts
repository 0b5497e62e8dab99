import type { Known, Scenario } from './scenario.ts';

/** A core is planned to be full to this part. */
const FULL = 0.7;
/** Bytes of a private balance in the execution layer, its overhead included. */
const BALANCE_BYTES = 252;
/** What a leaf of a liabilities tree takes: its entry, its hash and those above it, and its address with its place in a table. */
const LEAF_BYTES = 97 + 2 * 32 + 140;
/** Recipients that a coordinator pays at a time, whatever else it does. */
const PAID_AT_A_TIME = 240_000;
/** Every coordinator looks so often for withdrawals, by default. */
const LOOKS_A_SECOND = 2;
const LAMPORTS_A_SOL = 1e9;
const SECONDS_AN_HOUR = 3_600;
const GB = 1e9;

/** A line of the model: a number and what it was reckoned from. */
export type Line = { readonly what: string; readonly figure: number; readonly unit: string; readonly from: string };

/** What one of each can do at the most, in windows a second: the lowest is full first. */
export function limitsOf(known: Known): Line[] {
  const windows = (what: string, figure: number, from: string): Line => ({ what, figure, unit: 'windows/s', from });
  return [
    windows('one coordinator, a core of its own', 1_000 / known.coordinatorMsAWindow, 'throughput'),
    windows('PostgreSQL, a core', 1_000 / known.postgresMsAWindow, 'throughput'),
    windows('the execution layer, a core', 1_000 / known.layerMsAWindow, 'throughput'),
    windows('one coordinator looking for what is due', (known.pollDue / known.pollMs) * 1_000, 'poll'),
    windows('this machine, everything on it', known.smallWindowsASecond, 'throughput'),
  ].toSorted((a, b) => a.figure - b.figure);
}

/** What a payday takes. */
export function needsOf(known: Known, { recipients, schedules, hours }: Scenario): Line[] {
  const rate = schedules / (hours * SECONDS_AN_HOUR);
  const cores = (msAWindow: number) => (rate * msAWindow) / 1_000 / FULL;
  const perPaid = (known.largestWindowMemoryMb - known.smallestWindowMemoryMb) / known.largestWindow;
  return [
    { what: 'windows', figure: rate, unit: 'a second', from: 'the scenario' },
    {
      what: 'coordinators',
      figure: Math.ceil(cores(known.coordinatorMsAWindow)),
      unit: 'processes',
      from: 'throughput',
    },
    { what: 'cores of PostgreSQL', figure: cores(known.postgresMsAWindow), unit: '', from: 'throughput' },
    { what: 'cores of the execution layer', figure: cores(known.layerMsAWindow), unit: '', from: 'throughput' },
    { what: 'base transactions', figure: rate * known.baseTransactionsAWindow, unit: 'a second', from: 'windows' },
    {
      what: 'on this machine alone',
      figure: schedules / known.smallWindowsASecond / 60,
      unit: 'minutes',
      from: 'throughput',
    },
    { what: 'compute units of known recipients', figure: recipients * known.unitsKnown, unit: '', from: 'units' },
    { what: 'compute units of new ones, once', figure: recipients * known.unitsNew, unit: '', from: 'units' },
    {
      what: "looks for withdrawals, of the layer's time",
      figure: (known.withdrawalLookMs / known.largestWindow) * recipients * LOOKS_A_SECOND * 0.1,
      unit: '%',
      from: 'windows',
    },
    {
      what: 'memory of a coordinator that pays as many as it takes at a time',
      figure: known.coordinatorMb + Math.min(recipients, PAID_AT_A_TIME) * perPaid,
      unit: 'MB',
      from: 'throughput, windows',
    },
    {
      what: "the liabilities tree of a token that all have, in its leader's memory",
      figure: (recipients * LEAF_BYTES) / 1e6,
      unit: 'MB',
      from: 'its layout',
    },
    {
      what: 'addresses derived once, on one core',
      figure: (recipients * known.addressMicroseconds) / 1e6,
      unit: 's',
      from: 'addresses',
    },
    {
      what: "private balances in the layer's memory",
      figure: (recipients * BALANCE_BYTES) / 1e6,
      unit: 'MB',
      from: 'their layout',
    },
  ];
}

/** What it costs and what stays. */
export function costsOf(known: Known, { recipients, schedules, windowsAMonth }: Scenario): Line[] {
  const windows = schedules * windowsAMonth;
  const sol = (lamports: number) => lamports / LAMPORTS_A_SOL;
  const fixed = known.lamportsAWindow;
  const creating = known.lamportsANewRecipient;
  return [
    { what: 'windows opened and settled, a month', figure: sol(windows * fixed), unit: 'SOL', from: 'windows' },
    {
      what: 'the same, a recipient and window',
      figure: (windows * fixed) / (recipients * windowsAMonth),
      unit: 'lamports',
      from: 'windows',
    },
    { what: 'new balances, once', figure: sol(recipients * creating), unit: 'SOL', from: 'windows' },
    {
      what: "lists, schedules and balances' addresses in the database",
      figure: (recipients * known.registeredBytesARecipient + schedules * known.bytesASchedule) / GB,
      unit: 'GB',
      from: 'windows, poll',
    },
    {
      what: "windows' history in the database, a month",
      figure: (windows * known.databaseBytesAWindow) / GB,
      unit: 'GB',
      from: 'soak',
    },
  ];
}
