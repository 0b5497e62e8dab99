import { type Static, Type } from 'typebox';
import { ADDRESS_FORMAT } from '../schemas.ts';

/** What the routes for a recipient's own money take and answer. */

const CLOSED = { additionalProperties: false };
const Address = (description: string) => Type.String({ format: ADDRESS_FORMAT, description });
const Amount = (description: string) => Type.String({ pattern: '^[0-9]{1,20}$', description });
const Number64 = (description: string) => Type.String({ pattern: '^[0-9]{1,20}$', description });
const NullOr = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);
const Signature = (description: string) => Type.String({ pattern: '^[1-9A-HJ-NP-Za-km-z]{64,88}$', description });

/** A path that names a recipient. */
export const OwnParams = Type.Object({
  address: Type.Union([Type.Literal('me'), Type.String({ format: ADDRESS_FORMAT })], {
    description: 'Whoever signs: `me`, or their address, which then is in a path that others may log',
    examples: ['me'],
  }),
});

const UnderWay = Type.Object(
  {
    number: NullOr(Number64('Number of the withdrawal, public when it is paid; null: it has none before its release')),
    amount: Amount('Base units, decimal'),
    wallet: Address('Where it goes'),
    state: Type.Enum(['waiting', 'requested', 'recorded', 'issued', 'paid'], {
      type: 'string',
      description:
        'waiting: for its release; requested: asked for; recorded: the base ledger knows that it is owed; issued: its payout is on the way; paid: the base ' +
        'ledger has paid it, and the execution layer is about to clear it',
    }),
    releaseAt: NullOr(Type.Integer({ description: 'Unix seconds of the release that it waits for' })),
  },
  CLOSED,
);

const Order = Type.Object(
  {
    threshold: Amount('Base units from which on tokens go out, decimal'),
    wallet: Address('Where they go'),
    part: NullOr(Amount('Base units that go out at a time, decimal; null: everything')),
    delayMinutes: Type.Object(
      {
        least: Type.Integer({ minimum: 0, maximum: 65_535 }),
        most: Type.Integer({ minimum: 0, maximum: 65_535 }),
      },
      { additionalProperties: false, description: 'Between which the wait until the release is drawn' },
    ),
  },
  CLOSED,
);

const BalanceView = Type.Object(
  {
    address: Address('Of the private balance, in the execution layer'),
    mint: Address('Of the token'),
    symbol: NullOr(Type.String({ description: 'What the token calls itself; anybody may call a token anything' })),
    decimals: Type.Integer({ minimum: 0, maximum: 255 }),
    exists: Type.Boolean({ description: 'Whether anything was ever paid into it' }),
    amount: Amount('Base units that can be taken out, decimal'),
    withdrawal: NullOr(UnderWay),
    order: NullOr(Order),
    schedules: Type.Array(Address('Of a schedule'), { description: 'Which schedules pay or have paid into it' }),
  },
  CLOSED,
);

export const BalancesView = Type.Object(
  {
    recipient: Address('Whose balances these are'),
    program: Address('The ledger program, for transactions'),
    blockhash: Type.String({
      pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$',
      description: 'The execution layer’s, for a transaction that is signed now',
    }),
    lastValidBlockHeight: Number64('Block height of the execution layer up to which it takes the blockhash'),
    balances: Type.Array(BalanceView, { description: 'Those of the newest lists first' }),
  },
  CLOSED,
);

const Payment = Type.Object(
  {
    kind: Type.Enum(['payment'], { type: 'string', description: 'Received' }),
    at: Type.Integer({ description: 'When the window was settled, unix milliseconds' }),
    schedulePda: Address('Of the schedule'),
    mint: Address('Of the token'),
    window: Number64('Number of the window'),
    amount: Amount('Base units, decimal'),
    known: Type.Boolean({
      description: 'false: the list says so; whether the window paid it, this service does not know',
    }),
    signature: NullOr(Signature("Of the window's settlement on the base ledger")),
  },
  CLOSED,
);

const Withdrawal = Type.Object(
  {
    kind: Type.Enum(['withdrawal'], { type: 'string', description: 'Taken out' }),
    at: Type.Integer({ description: 'When the service first saw it, unix milliseconds' }),
    balance: Address('Of the private balance'),
    mint: Address('Of the token'),
    number: Number64('Number of the withdrawal'),
    amount: Amount('Base units, decimal'),
    wallet: Address('Where it went, or goes'),
    state: Type.Enum(['requested', 'issued', 'paid'], { type: 'string', description: 'As the service last saw it' }),
    issuedAt: NullOr(Type.Integer({ description: 'Unix milliseconds of the first payout that was sent' })),
    paidAt: NullOr(Type.Integer({ description: 'Unix milliseconds' })),
  },
  CLOSED,
);

export const HistoryView = Type.Object(
  {
    recipient: Address('Whose history this is'),
    items: Type.Array(Type.Union([Payment, Withdrawal]), {
      description: 'Newest first; fewer than asked for where windows have paid nothing',
    }),
    nextCursor: NullOr(Type.String({ description: 'Asks for what is older' })),
  },
  CLOSED,
);

const PAGE = 20;

/** What a cursor of a history looks like: a time and a mark. */
const CURSOR = '^h[0-9]{1,15}-[0-9]{1,15}$';

export const HistoryQuery = Type.Object(
  {
    cursor: Type.Optional(
      Type.String({ pattern: CURSOR, description: 'nextCursor of the page before', examples: ['h1796025604902-17'] }),
    ),
    limit: Type.Optional(
      Type.String({
        pattern: '^(100|[1-9][0-9]?)$',
        description: `Items on a page at most: 1 to 100; ${PAGE} if not given`,
        examples: ['20'],
      }),
    ),
  },
  CLOSED,
);

/** The page that a query asks for. */
export function historyPage({ cursor, limit }: Static<typeof HistoryQuery>) {
  const [at, mark] = cursor?.slice(1).split('-').map(Number) ?? [];
  const behind = at === undefined || mark === undefined ? undefined : { at, mark };
  return { behind, limit: limit === undefined ? PAGE : Number(limit) };
}

/** The cursor of a page's end. */
export const historyCursor = ({ at, mark }: { readonly at: number; readonly mark: number }): string => `h${at}-${mark}`;

/** A withdrawal is redirected; by a key that has no balance anywhere. */
const TRANSACTION =
  'ATIxrRtVIbDUw/ywx7lAyCIj6TsBdXw9kJzyT1UaW64W71vzSmT+60gZHzmw3F08Mv29E6nb07r3e/c5dgmqlw0BAAED6kpsY+KcUgq+9VB7Ey' +
  '7F+ZVHdq6+vnuSQh7qaRRG0iwyHPpa3RheiJOl/YgBPsTX4SLe1GNUyt/1DZVjledbYAXJLzjNs6P6NvlaCTKmDf8Copoqe2R2grmkXYzzowbQ' +
  'zEkOkozS44c7s0P8ldozF5ymD02/RsLDbpEpnVXU5rkBAgIAASEmhQ8tbgKkevgk0Jq2ncQtcMsoy/okn7fuV7nSVsEnYu8=';

export const TransactionBody = Type.Object(
  {
    transaction: Type.String({
      minLength: 1,
      maxLength: 1_644,
      description:
        "A transaction for the execution layer in base 64: the recipient's own instructions alone, with no other signer, and the " +
        'blockhash of their balances’ answer',
      pattern: '^[A-Za-z0-9+/]+={0,2}$',
      examples: [TRANSACTION],
    }),
  },
  CLOSED,
);

export const TransactionView = Type.Object(
  {
    signature: Signature('By which the execution layer knows it'),
    state: Type.Enum(['executed'], { type: 'string', description: 'The execution layer has executed it' }),
  },
  CLOSED,
);

const recipient = 'DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hy';
const schedulePda = '7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5';
const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const balance = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';
const wallet = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
const signature = '3AsdoALgZFuq2oUVWrDYhg2pNeaLJKPLf8hU2mQ6U8qJxeJ6hsrPVpMn9ma39DtfYCrDQSvngWRP8NnTpEhezJpE';

export const BALANCES_EXAMPLE: Static<typeof BalancesView> = {
  recipient,
  program: 'FdGtEumYQjyKr1jmRmM7ifyvhRCsqE7Rt4stXPjnYq6R',
  blockhash: 'EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N',
  lastValidBlockHeight: '182301',
  balances: [
    {
      address: balance,
      mint,
      symbol: 'USDC',
      decimals: 6,
      exists: true,
      amount: '1250500000',
      withdrawal: { number: '17', amount: '300000000', wallet, state: 'recorded', releaseAt: null },
      order: { threshold: '1000000000', wallet, part: '500000000', delayMinutes: { least: 60, most: 10_080 } },
      schedules: [schedulePda],
    },
  ],
};

export const HISTORY_EXAMPLE: Static<typeof HistoryView> = {
  recipient,
  items: [
    {
      kind: 'withdrawal',
      at: 1_796_030_000_000,
      balance,
      mint,
      number: '17',
      amount: '300000000',
      wallet,
      state: 'paid',
      issuedAt: 1_796_030_000_420,
      paidAt: 1_796_030_001_210,
    },
    {
      kind: 'payment',
      at: 1_796_025_604_902,
      schedulePda,
      mint,
      window: '2',
      amount: '1500000000',
      known: true,
      signature,
    },
  ],
  nextCursor: null,
};

export const TRANSACTION_EXAMPLE: Static<typeof TransactionView> = { signature, state: 'executed' };
