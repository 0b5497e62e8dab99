import { MAX_LEAVES } from '@payouts/client';
import { Type } from 'typebox';
import { SCHEDULE_CONDITIONS } from '../domain/conditions.ts';
import { ATTEMPT_OUTCOMES, RUN_STATES, STAGES } from '../domain/run.ts';
import { SCHEDULE_STATUSES } from '../domain/schedule.ts';
import { MAX_PROOF_HASHES } from '../lists/entrySpans.ts';
import { Address, Closed, Decimal, Millis, NextCursor, Nullable, OneOf } from './schemaParts.ts';

const Text = Type.String();

/** A path that names a schedule. */
export const ScheduleParams = Type.Object({
  schedulePda: Address(
    'Address of the schedule account: base 58 of 32 bytes',
    '7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5',
  ),
});

/** A registration's body, as it is checked while it arrives: this describes it. */
export const RegistrationBody = Closed({
  schedulePda: Address('Address of the schedule account'),
  mint: Type.Optional(Address("The token that the list is for; refused if it is not the schedule's")),
  recipients: Type.Array(
    Closed({
      index: Type.Integer({ minimum: 0, maximum: MAX_LEAVES - 1, description: 'Place in the list, from 0' }),
      recipient: Address('Address of the recipient'),
      amount: Type.String({ pattern: '^[1-9][0-9]{0,19}$', description: 'Base units, decimal; fits 64 bits' }),
      salt: Type.String({ pattern: '^[0-9a-fA-F]{32}$', description: '16 bytes, hexadecimal' }),
      delivery: Type.Optional(
        OneOf(['balance', 'wallet'], 'Where the money goes: the private balance, unless said otherwise'),
      ),
      proof: Type.Optional(
        Type.Array(Type.String({ pattern: '^[0-9a-fA-F]{64}$' }), {
          maxItems: MAX_PROOF_HASHES,
          description: "The entry's proof, from the leaf's sibling up; verified if given, computed if not",
        }),
      ),
    }),
    {
      minItems: 1,
      maxItems: MAX_LEAVES,
      description: 'In any order of index; each index from 0 on stands there once',
    },
  ),
});

export const ScheduleView = Closed({
  schedulePda: Text,
  vault: Text,
  mint: Text,
  root: Type.String({ description: 'Hexadecimal' }),
  rootVersion: Type.Integer(),
  recipients: Type.Integer({ description: 'How many' }),
  amountPerExecution: Decimal('Base units, decimal'),
  calendar: Closed(
    {
      unit: OneOf(
        ['seconds', 'days', 'weeks', 'months-on-day', 'months-last-day', 'months-last-business-day', 'dates'],
        'What is counted between two executions',
      ),
      every: Type.Integer({ minimum: 0, description: 'Units between two executions; 0 for dates' }),
      day: Type.Optional(Type.Integer({ minimum: 1, maximum: 31, description: 'Of months on a day' })),
      dates: Type.Optional(
        Type.Array(Millis(), { maxItems: 52, description: 'Of dates: those that the employer signed' }),
      ),
    },
    { description: 'When the schedule is due again; in UTC, at the time of day of the first execution' },
  ),
  batchTimeoutSeconds: Type.Integer(),
  status: OneOf(SCHEDULE_STATUSES, 'On the ledger; awaiting: no window opens before the approver agrees'),
  phase: OneOf(['idle', 'open'], 'open: a window is being paid'),
  window: Decimal('Number of the open window, else of the next'),
  nextExecution: Millis("by the base ledger's clock"),
  executionsLeft: Type.Integer({ description: 'Of a schedule without an end: those whose fees are prepaid' }),
  keeps: Type.Integer({
    minimum: 0,
    maximum: 255,
    description: 'Windows that a schedule without an end keeps reserved; 0: it has an end',
  }),
  nextWindow: Nullable(
    Closed(
      { number: Decimal('Number of the window'), dueAt: Millis() },
      {
        description:
          'The window that opens next; null while one is open, when none is left, and before the approver agrees',
      },
    ),
  ),
  proposal: Nullable(
    Closed(
      {
        kind: OneOf(
          ['schedule', 'change'],
          'schedule: it has never been approved, and no window opens before; change: it goes on as it is meanwhile',
        ),
        root: Type.String({ description: 'Hexadecimal' }),
        isNewList: Type.Boolean({ description: 'Whether another list would be paid than at present' }),
        recipients: Type.Integer({ description: 'How many there would be' }),
        amountPerExecution: Decimal('Base units, decimal'),
        executionsLeft: Type.Integer({ description: 'All that would be left' }),
        executionsAdded: Type.Integer({ description: 'Of these, not promised yet' }),
        proposedAt: Millis(),
        expiresAt: Millis('the last time at which the approver can agree'),
      },
      { description: "What waits for the vault's approver, as it would stand then; null: nothing does" },
    ),
  ),
  token: Nullable(
    Closed(
      {
        decimals: Type.Integer(),
        symbol: Nullable(Type.String({ description: 'What the token calls itself; null: nothing' })),
      },
      { description: 'null while the vault was not read' },
    ),
  ),
  funding: Nullable(
    Closed(
      {
        reserved: Decimal("Base units that are reserved for this schedule's windows"),
        available: Decimal('Base units of the vault that are free, for all its schedules'),
        decimals: Type.Integer({ description: 'Of the token' }),
        symbol: Nullable(Type.String({ description: 'What the token calls itself; null: nothing' })),
        windowsCovered: Type.Integer({
          description:
            'Windows from here on that are reserved, or that the available amount would pay for in the order in which they are due',
        }),
        shortfall: Nullable(
          Closed(
            {
              amount: Decimal('Base units that are missing for the window after those; 0: its fees are not prepaid'),
              dueAt: Millis(),
              isPromised: Type.Boolean({
                description:
                  'Whether that window is promised; false: the schedule ends before it unless it is funded for more',
              }),
            },
            { description: 'null: nothing is missing for two years' },
          ),
        ),
        sentence: Type.String({ description: 'The same in words' }),
        seenAt: Millis(),
      },
      { description: "How far the vault's money reaches; null while it was not read, and for a schedule that is over" },
    ),
  ),
  conditions: Type.Array(
    Closed({
      kind: OneOf(SCHEDULE_CONDITIONS, 'What it is'),
      window: Decimal('Number of the window that is late, or of the first one that is not covered'),
      since: Millis('when it was noticed'),
    }),
    { description: 'What lasts and should not: money that ends, a window that is late' },
  ),
  registration: Closed({
    state: OneOf(
      ['registered', 'list-missing'],
      'list-missing: the root on the ledger was replaced and its list has not been registered',
    ),
    registeredAt: Millis(),
  }),
});

const AttemptView = Closed({
  stage: OneOf(STAGES, 'Of the run'),
  number: Type.Integer({ description: 'From 1 for each stage' }),
  outcome: OneOf(ATTEMPT_OUTCOMES, 'How the try ended'),
  errorCode: Nullable(Text),
  errorDetail: Nullable(Text),
  startedAt: Millis(),
  endedAt: Nullable(Millis()),
  signatures: Type.Array(Text, {
    description: 'Of the transactions that it sent; claims, and what is sent with them, leave none',
  }),
  quoteHash: Nullable(Text, {
    description: 'SHA-256 of the quote by which the execution layer was trusted; null where none was asked for',
  }),
});

/** Where a run stands. */
export const RunSummary = Closed({
  window: Decimal('Number of the window'),
  dueAt: Nullable(Millis('null for runs that were recorded without it')),
  state: OneOf(RUN_STATES, 'Where the run stands'),
  stage: Nullable(OneOf(STAGES, 'Last begun')),
  claims: Closed({ paid: Type.Integer(), total: Type.Integer() }),
  paidAmount: Nullable(Decimal('Base units that the window paid, decimal; null until it is settled')),
  unpaid: Closed({
    count: Type.Integer(),
    reasons: Type.Record(Type.String(), Type.Integer(), { description: 'How many for each reason' }),
  }),
  errorCode: Nullable(Text),
  errorDetail: Nullable(Text),
  resumeAt: Nullable(Millis()),
  createdAt: Millis(),
  startedAt: Nullable(Millis()),
  finishedAt: Nullable(Millis()),
  rebuilt: Type.Boolean({
    description: "Recorded from the base ledger's history, after the database had lost the run",
  }),
});

export const RunView = Closed({
  ...RunSummary.properties,
  attempts: Type.Array(AttemptView, { description: 'Every attempt of a stage, in order' }),
});

export const RunPage = Closed({
  executions: Type.Array(RunView),
  nextCursor: NextCursor(),
});

export const HealthView = Closed({
  status: OneOf(['healthy', 'unhealthy'], 'unhealthy: the database is gone, or the service is stopping'),
  database: OneOf(['connected', 'disconnected'], 'Whether it answers'),
  timestamp: Millis(),
  schedulesRegistered: Type.Integer({ description: 'How many; the last known number while the database is gone' }),
  silent: Type.Array(OneOf(['base', 'layer'], 'A ledger'), {
    description:
      'Ledgers that have answered no call of this process for 5 s or longer: runs wait for them. They make it no less healthy',
  }),
});

export const RegistrationView = Closed({
  schedulePda: Text,
  root: Type.String({ description: 'Hexadecimal' }),
  recipients: Type.Integer({ description: 'How many' }),
  created: Type.Boolean({ description: 'false: the same list was registered before' }),
});
