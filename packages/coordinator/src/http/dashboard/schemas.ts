import { type Static, Type } from 'typebox';
import { KINDS } from '../../domain/differences.ts';
import { RUN_STATES, type RunState } from '../../domain/run.ts';
import { RUN_EXAMPLE, SCHEDULE_EXAMPLE } from '../examples.ts';
import { Address, Closed, Count, Decimal, Millis, NextCursor, Nullable, OneOf } from '../schemaParts.ts';
import { RunSummary, RunView, ScheduleView } from '../schemas.ts';
import { WindowPageQuery } from '../windowPage.ts';

const Text = Type.String();

/** What the answers about the whole service look like. */
const Token = {
  mint: Text,
  symbol: Nullable(Type.String({ description: 'What the token calls itself; null: nothing, or not known yet' })),
  decimals: Nullable(Type.Integer({ description: 'Of the token; null: not known yet' })),
};
const OfSchedule = { schedulePda: Text, vault: Text, ...Token };

const RunCounts = Type.Partial(
  Type.Object(
    Object.fromEntries(RUN_STATES.map((state) => [state, Count(state)])) as Record<RunState, ReturnType<typeof Count>>,
  ),
  {
    additionalProperties: false,
    description: 'How many runs for each state that has some; those that are over as of some seconds ago',
  },
);

export const OverviewView = Closed({
  now: Millis('when this was put together'),
  ledgerNow: Millis("the base ledger's clock then, by which windows are due"),
  version: Type.String({ description: 'Of the service' }),
  schedules: Closed({
    registered: Count('All, as of some seconds ago, like the others'),
    active: Count('By status on the ledger'),
    paused: Count('By status on the ledger'),
    completed: Count('By status on the ledger'),
    cancelled: Count('By status on the ledger'),
    awaiting: Count('By status on the ledger: their second key has not approved them'),
    listMissing: Count('Active or paused ones whose current list is not registered'),
  }),
  runs: RunCounts,
  overdue: Count('Windows that are due and have not begun'),
  fundingLow: Count('Schedules whose money ends'),
  windowsLate: Count('Windows that are late: not opened in time, or not settled in time after their payment deadline'),
  withdrawalsStuck: Nullable(
    Count(
      'Tokens whose withdrawals have not been paid for long; null where everybody may see this: it tells that somebody withdraws',
    ),
  ),
  nextDue: Type.Array(
    Closed({
      ...OfSchedule,
      window: Decimal('Number of the window'),
      dueAt: Millis('when the window is due'),
      amountPerExecution: Decimal('Base units, decimal'),
      recipients: Count('How many'),
      isCovered: Nullable(Type.Boolean({ description: 'Whether the vault covers the window; null: not known yet' })),
    }),
    { maxItems: 20, description: 'Windows that are due next' },
  ),
  funding: Type.Array(
    Closed({
      ...OfSchedule,
      available: Decimal('Base units of the vault that are free, for all its schedules'),
      reserved: Decimal('Base units that are reserved for the schedule'),
      windowsCovered: Count('Windows from here on that the vault covers'),
      shortfall: Nullable(
        Closed({
          amount: Decimal('Base units that are missing for the window after those'),
          dueAt: Millis('when it is due'),
          isPromised: Type.Boolean({ description: 'Whether that window is promised' }),
        }),
      ),
      sentence: Type.String({ description: 'The same in words' }),
    }),
    { maxItems: 20, description: 'Active schedules whose money ends soonest' },
  ),
});

export const SERIES_RANGES = ['1h', '24h', '7d'] as const;

export const SeriesQuery = Closed({
  range: Type.Optional(OneOf(SERIES_RANGES, 'How far back; 24h if not given')),
});

const Latency = (description: string) => Nullable(Count(description));

export const SeriesView = Closed({
  from: Millis('included'),
  to: Millis('not included'),
  stepMs: Type.Integer({ description: 'Milliseconds of a bucket' }),
  buckets: Type.Array(
    Closed({
      at: Millis('where the bucket begins'),
      settled: Count('Windows that were settled'),
      claims: Count('Recipients that they paid'),
      p50Ms: Latency('From due to settled, of half of them at most; null: there is none'),
      p95Ms: Latency('From due to settled, of 95 % of them at most'),
      exhausted: Count('Runs that were out of retries'),
      failed: Count("Runs that can't succeed"),
      held: Count('Runs that were held, or still were when they were looked at again'),
      errors: Type.Record(Type.String(), Type.Integer(), {
        description: 'Attempts of stages that ended with an error, by code; not those that only waited for a ledger',
      }),
    }),
  ),
});

const ListedRun = Closed({ schedulePda: Text, ...Token, ...RunSummary.properties });

export const RunsQuery = Closed({
  ...WindowPageQuery.properties,
  state: Type.Optional(OneOf(RUN_STATES, 'Only runs of this state')),
  schedule: Type.Optional(Address("Only this schedule's runs", SCHEDULE_EXAMPLE.schedulePda)),
});

export const RunsView = Closed({
  runs: Type.Array(ListedRun),
  counts: RunCounts,
  nextCursor: NextCursor(),
});

export const RunWithAdvice = Closed({
  schedulePda: Text,
  ...Token,
  ...RunView.properties,
  advice: Nullable(
    Closed(
      {
        sentence: Type.String({ description: 'What the error means' }),
        remedy: Type.String({ description: 'What to do about it' }),
      },
      { description: 'About errorCode; null: there is none' },
    ),
  ),
});

export const SessionView = Closed({
  wallet: Address('Who signs'),
  isOperator: Type.Boolean({ description: 'Whether OPERATORS names it' }),
  expiresAt: Nullable(Millis('when the sign-in ends; null: the key itself signs')),
});

export const ResumedView = Closed({
  schedulePda: Text,
  window: Decimal('Number of the window'),
  state: OneOf(RUN_STATES, 'In which the run was until now'),
});

export const ComparisonBody = Closed({
  fix: Type.Boolean({ description: 'Whether the database is brought to what the base ledger says' }),
});

/** Differences in one answer. */
export const MAX_DIFFERENCES = 1_000;

export const ComparisonView = Closed({
  compared: Closed(
    { schedules: Count('How many'), vaults: Count('How many'), tokens: Count('How many') },
    { description: 'What was compared' },
  ),
  isLayerCompared: Type.Boolean({ description: 'false: the execution layer did not answer, and was left out' }),
  isUnregisteredSearched: Type.Boolean({
    description:
      "false: the base ledger's node does not list a program's accounts, so schedules that are not registered were not looked for",
  }),
  isComplete: Type.Boolean({
    description: 'false: it took too long, and something was not compared: use the command',
  }),
  healed: Count('Differences that are fixed'),
  remaining: Count('Differences that are not'),
  differences: Type.Array(
    Closed({
      kind: OneOf(KINDS, 'As docs/operating/reconciliation.md has them'),
      about: Type.String({ description: 'Address of a schedule, vault or token; with a window, SCHEDULE:WINDOW' }),
      detail: Nullable(Text),
      isHealed: Type.Boolean(),
    }),
    { maxItems: MAX_DIFFERENCES, description: 'The first of them' },
  ),
});

export const OwnSchedulesQuery = Closed({
  cursor: Type.Optional(Address('nextCursor of the page before', SCHEDULE_EXAMPLE.schedulePda)),
  employer: Type.Optional(Address('whose viewer or clerk signs; without: the signer', SCHEDULE_EXAMPLE.vault)),
});

export const OwnSchedulesView = Closed({
  schedules: Type.Array(ScheduleView, { maxItems: 100 }),
  nextCursor: NextCursor(),
});

const { schedulePda, vault, mint } = SCHEDULE_EXAMPLE;
const token = { mint, symbol: 'USDC', decimals: 6 };
const of = { schedulePda, vault, ...token };
const { attempts: _, ...summary } = RUN_EXAMPLE;

export const OVERVIEW_EXAMPLE: Static<typeof OverviewView> = {
  now: 1_796_025_610_000,
  ledgerNow: 1_796_025_609_000,
  version: '0.1.0',
  schedules: { registered: 42, active: 38, paused: 1, completed: 2, cancelled: 1, awaiting: 0, listMissing: 1 },
  runs: { running: 1, held: 1, settled: 120 },
  overdue: 0,
  fundingLow: 1,
  windowsLate: 0,
  withdrawalsStuck: 0,
  nextDue: [
    {
      ...of,
      window: '3',
      dueAt: 1_798_704_000_000,
      amountPerExecution: '1500000000',
      recipients: 500,
      isCovered: true,
    },
  ],
  funding: [
    {
      ...of,
      available: '1379500000',
      reserved: '13500000000',
      windowsCovered: 9,
      shortfall: { amount: '120500000', dueAt: 1_822_291_200_000, isPromised: false },
      sentence: 'covers 9 more windows, all that are promised; one more on 30 September 2027 takes another 120.50 USDC',
    },
  ],
};

export const SERIES_EXAMPLE: Static<typeof SeriesView> = {
  from: 1_796_025_600_000,
  to: 1_796_025_660_000,
  stepMs: 60_000,
  buckets: [
    {
      at: 1_796_025_600_000,
      settled: 1,
      claims: 500,
      p50Ms: 4_902,
      p95Ms: 4_902,
      exhausted: 0,
      failed: 0,
      held: 1,
      errors: { 'funding-short': 1 },
    },
  ],
};

export const RUNS_EXAMPLE: Static<typeof RunsView> = {
  runs: [{ schedulePda, ...token, ...summary }],
  counts: { running: 1, held: 1, settled: 120 },
  nextCursor: 'w17',
};

export const RUN_ADVICE_EXAMPLE: Static<typeof RunWithAdvice> = { schedulePda, ...token, ...RUN_EXAMPLE, advice: null };

export const SESSION_EXAMPLE: Static<typeof SessionView> = {
  wallet: 'DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hy',
  isOperator: true,
  expiresAt: 1_796_029_200_000,
};

export const RESUMED_EXAMPLE: Static<typeof ResumedView> = { schedulePda, window: '2', state: 'exhausted' };

export const COMPARISON_EXAMPLE: Static<typeof ComparisonView> = {
  compared: { schedules: 42, vaults: 9, tokens: 1 },
  isLayerCompared: true,
  isUnregisteredSearched: true,
  isComplete: true,
  healed: 1,
  remaining: 0,
  differences: [{ kind: 'run-missing', about: `${schedulePda}:2`, detail: null, isHealed: true }],
};

export const OWN_SCHEDULES_EXAMPLE: Static<typeof OwnSchedulesView> = {
  schedules: [SCHEDULE_EXAMPLE],
  nextCursor: null,
};
