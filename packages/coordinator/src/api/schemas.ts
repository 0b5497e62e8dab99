import { Type } from 'typebox';

/** A registration's body. What a recipient's fields must hold is checked apart, so that no error repeats them. */
export const RegistrationBody = Type.Object(
  {
    schedulePda: Type.String({ description: 'Address of the schedule account' }),
    recipients: Type.Array(
      Type.Object(
        {
          index: Type.Integer({ minimum: 0, description: 'Place in the list, from 0' }),
          recipient: Type.String({ description: 'Address' }),
          amount: Type.String({ description: 'Base units, decimal' }),
          salt: Type.String({ description: '16 bytes, hexadecimal' }),
          delivery: Type.Optional(Type.Union([Type.Literal('balance'), Type.Literal('wallet')])),
          proof: Type.Optional(
            Type.Array(Type.String(), { description: 'Ignored: the list itself rebuilds the root' }),
          ),
        },
        { additionalProperties: false },
      ),
      { minItems: 1 },
    ),
  },
  { additionalProperties: false },
);

const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);
const Text = Type.String();
const Millis = Type.Integer({ description: 'Unix milliseconds' });

export const ScheduleView = Type.Object({
  schedulePda: Text,
  vault: Text,
  mint: Text,
  root: Type.String({ description: 'Hexadecimal' }),
  rootVersion: Type.Integer(),
  recipients: Type.Integer({ description: 'How many' }),
  amountPerExecution: Type.String({ description: 'Base units, decimal' }),
  calendar: Type.Object(
    {
      unit: Type.Union([
        Type.Literal('seconds'),
        Type.Literal('days'),
        Type.Literal('weeks'),
        Type.Literal('months-on-day'),
        Type.Literal('months-last-day'),
        Type.Literal('months-last-business-day'),
      ]),
      every: Type.Integer({ minimum: 1, description: 'Units between two executions' }),
      day: Type.Optional(Type.Integer({ minimum: 1, maximum: 31, description: 'Of months on a day' })),
    },
    { description: 'When the schedule is due again; in UTC, at the time of day of the first execution' },
  ),
  batchTimeoutSeconds: Type.Integer(),
  status: Type.Union([
    Type.Literal('active'),
    Type.Literal('paused'),
    Type.Literal('cancelled'),
    Type.Literal('completed'),
  ]),
  phase: Type.Union([Type.Literal('idle'), Type.Literal('open')]),
  window: Type.String({ description: 'Number of the open window, else of the next' }),
  nextExecution: Type.Integer({ description: "Unix seconds of the ledger's clock" }),
  executionsLeft: Type.Integer(),
  registration: Type.Object({
    state: Type.Union([Type.Literal('registered'), Type.Literal('list-missing')], {
      description: 'list-missing: the root on the ledger was replaced and its list has not been registered',
    }),
    registeredAt: Millis,
  }),
});

const AttemptView = Type.Object({
  stage: Text,
  number: Type.Integer(),
  outcome: Text,
  errorCode: Nullable(Text),
  errorDetail: Nullable(Text),
  startedAt: Millis,
  endedAt: Nullable(Millis),
  signatures: Type.Array(Text),
});

export const RunView = Type.Object({
  window: Text,
  state: Text,
  stage: Nullable(Text),
  claims: Type.Object({ paid: Type.Integer(), total: Type.Integer() }),
  paidAmount: Nullable(
    Type.String({ description: 'Base units that the window paid, decimal; null until it is settled' }),
  ),
  unpaid: Type.Object({
    count: Type.Integer(),
    reasons: Type.Record(Type.String(), Type.Integer(), { description: 'How many for each reason' }),
  }),
  errorCode: Nullable(Text),
  errorDetail: Nullable(Text),
  resumeAt: Nullable(Millis),
  createdAt: Millis,
  startedAt: Nullable(Millis),
  finishedAt: Nullable(Millis),
  attempts: Type.Array(AttemptView, { description: 'Every try of a stage, in order' }),
});

export const RunPage = Type.Object({ executions: Type.Array(RunView), nextCursor: Nullable(Text) });

export const HealthView = Type.Object({
  status: Type.Union([Type.Literal('healthy'), Type.Literal('unhealthy')]),
  database: Type.Union([Type.Literal('connected'), Type.Literal('disconnected')]),
  timestamp: Millis,
  schedulesRegistered: Type.Integer(),
});

export const RegistrationView = Type.Object({
  schedulePda: Text,
  root: Type.String({ description: 'Hexadecimal' }),
  recipients: Type.Integer({ description: 'How many' }),
  created: Type.Boolean({ description: 'false: the same list was registered before' }),
});

/** RFC 9457. */
export const ProblemView = Type.Object(
  { type: Text, title: Text, status: Type.Integer(), code: Text, detail: Text },
  { additionalProperties: true },
);
