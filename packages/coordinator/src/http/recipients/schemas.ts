import { paymentCodeOf } from '@payouts/client';
import { type Static, Type } from 'typebox';
import {
  Address,
  Closed,
  Count,
  Decimal,
  Hash,
  MeOrAddress,
  Millis,
  NextCursor,
  Nullable,
  OneOf,
  PageCursor,
  PageLimit,
  Signature,
} from '../schemaParts.ts';

/** What the routes for a recipient's own money take and answer. */

/** A path that names a recipient. */
export const OwnParams = Type.Object({
  address: MeOrAddress('Whoever signs: `me`, or their address, which then is in a path that others may log'),
});

const UnderWay = Closed({
  id: Type.Integer({ minimum: 1, description: "Number among the balance's own withdrawals" }),
  number: Nullable(Decimal('Number of the withdrawal, public when it is paid; null: it has none before its release')),
  amount: Decimal('Base units, decimal'),
  wallet: Address('Where it goes'),
  state: OneOf(
    ['waiting', 'requested', 'recorded', 'issued', 'paid'],
    'waiting: for its release; requested: asked for; recorded: the base ledger knows that it is owed; issued: its payout is on the way; paid: the base ' +
      'ledger has paid it, and the execution layer is about to clear it',
  ),
  releaseAt: Nullable(Millis('of the release that it waits for; in rounds: the latest')),
  inRound: Type.Boolean({ description: 'It waits for a round, in which it leaves with others' }),
});

const PaymentCode = Type.String({
  pattern: '^pay_[1-9A-HJ-NP-Za-km-z]{36,50}$',
  description: 'Owner of a private balance, which names nobody, and four bytes that show mistypings',
});

const TransferUnderWay = Closed({
  id: Type.Integer({ minimum: 1, description: "Number among the balance's own, as those of withdrawals are" }),
  amount: Decimal('Base units, decimal'),
  paymentCode: PaymentCode,
});

const Standing = Closed({
  id: Type.Integer({ minimum: 1, description: "Number among the balance's own withdrawals" }),
  amount: Decimal('Base units, decimal'),
  wallet: Address('Where it goes'),
});

const Minutes = Type.Integer({ minimum: 0, maximum: 65_535 });

const Order = Closed({
  threshold: Decimal('Base units from which on tokens go out, decimal'),
  wallet: Address('Where they go'),
  part: Nullable(Decimal('Base units that go out at a time, decimal; null: everything')),
  delayMinutes: Closed(
    { least: Minutes, most: Minutes },
    { description: 'Between which the wait until the release is drawn' },
  ),
});

const RecoveryWallet = Nullable(Address('The recovery wallet; null: nobody'));

const Recovery = Closed(
  {
    wallet: RecoveryWallet,
    change: Nullable(
      Closed(
        { wallet: RecoveryWallet, from: Millis('of the change') },
        { description: 'Who takes its place, from then on and not while a recovery is under way' },
      ),
    ),
    completesAt: Nullable(Millis('from which on the recovery under way can be completed; null: there is none')),
  },
  { description: 'Who may recover the balance' },
);

const Salt = Type.String({ pattern: '^[0-9a-f]{32}$', description: "The recipient's secret, which makes the owner" });

const BalanceView = Closed({
  address: Address('Who owns the private balance, without saying it: 32 bytes in base 58'),
  mint: Address('Of the token'),
  symbol: Nullable(Type.String({ description: 'What the token calls itself; anybody may call a token anything' })),
  decimals: Type.Integer({ minimum: 0, maximum: 255 }),
  place: Nullable(
    Closed(
      { page: Address('Of the page, in the execution layer'), slot: Type.Integer({ minimum: 0, maximum: 239 }) },
      { description: 'Where it is; null: nothing was ever paid into it' },
    ),
  ),
  salt: Salt,
  delivery: OneOf(['balance', 'wallet'], 'Where its money goes: it stays, or goes on to the wallet of the recipient'),
  personal: Nullable(Address('Of the account that holds what the recipient asks of it; null: there is none')),
  personalNumber: Type.Integer({
    minimum: 0,
    maximum: 32_767,
    description: 'Of the last such account; 0: there was none yet',
  }),
  personalKey: Nullable(
    Type.String({
      pattern: '^[0-9a-f]{32}$',
      description: 'What their addresses follow from, secret; null: it has no place',
    }),
  ),
  amount: Decimal('Base units that can be taken out, decimal'),
  withdrawals: Type.Array(UnderWay, { description: 'Under way' }),
  transfers: Type.Array(TransferUnderWay, { description: 'Private transfers that wait to be made' }),
  standing: Type.Array(Standing, {
    description: 'Parts that stand ready: each waits for a round as soon as the balance has as much',
  }),
  order: Nullable(Order),
  recovery: Nullable(Recovery),
  schedules: Type.Array(Address('Of a schedule'), {
    description: 'Which schedules pay or have paid into it; none: it is the balance of a payment code',
  }),
});

export const BalancesView = Closed({
  recipient: Address('Whose balances these are'),
  program: Address('The ledger program, for transactions'),
  executionAuthority: Address('The key that runs windows, for transactions'),
  isPrivate: Type.Boolean({ description: 'Whether the execution layer says who may read what' }),
  blockhash: Type.String({
    pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$',
    description: 'The execution layer’s, for a transaction that is signed now',
  }),
  lastValidBlockHeight: Decimal('Block height of the execution layer up to which it takes the blockhash'),
  balances: Type.Array(BalanceView, { description: 'Those of the newest lists first' }),
});

export const PaymentCodeBody = Closed({ mint: Address('Of the token') });

export const PaymentCodeView = Closed({ mint: Address('Of the token'), paymentCode: PaymentCode, salt: Salt });

export const PAYMENT_CODE_EXAMPLE: Static<typeof PaymentCodeView> = {
  mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  paymentCode: paymentCodeOf(new Uint8Array(32).fill(7)),
  salt: '5f0c3a1d9be2476888a1c04e7d52f3b9',
};

const Payment = Closed({
  kind: OneOf(['payment'], 'Received'),
  at: Millis('when the window was settled'),
  schedulePda: Address('Of the schedule'),
  mint: Address('Of the token'),
  window: Decimal('Number of the window'),
  amount: Decimal('Base units, decimal'),
  known: Type.Boolean({
    description: 'false: the list says so; whether the window paid it, this service does not know',
  }),
  signature: Nullable(Signature("Of the window's settlement on the base ledger")),
});

const Withdrawal = Closed({
  kind: OneOf(['withdrawal'], 'Taken out'),
  at: Millis('when the service first saw it'),
  balance: Address('Of the private balance'),
  mint: Address('Of the token'),
  number: Decimal('Number of the withdrawal'),
  amount: Decimal('Base units, decimal'),
  wallet: Address('Where it went, or goes'),
  state: OneOf(['requested', 'issued', 'paid'], 'As the service last saw it'),
  issuedAt: Nullable(Millis('of the first payout that was sent')),
  paidAt: Nullable(Millis()),
});

const Receipt = Closed(
  {
    transferReceipt: Type.Literal(1, { description: 'Version of the format' }),
    transfer: Closed({
      program: Address('The ledger program'),
      mint: Address('The token'),
      decimals: Count('Of the token'),
      symbol: Nullable(Type.String(), { description: 'What the token calls itself; null: not known' }),
      amount: Decimal('Base units, decimal'),
      paymentCode: PaymentCode,
      payer: Hash('Of who has paid and the secret below, which is another one for each transfer'),
      madeAt: Millis(),
      issuer: Address('The execution authority'),
      signature: Signature("The issuer's, over everything above"),
    }),
    opening: Closed({
      side: OneOf(['payer', 'payee'], 'Whose receipt it is'),
      recipient: Address('Who they are'),
      secret: Type.String({
        pattern: '^[0-9a-f]{32}$',
        description: 'What shows that they have paid, or that the payment code is theirs',
      }),
    }),
  },
  { description: 'What proves it to whoever is given it' },
);

export const TransferView = Closed({
  kind: OneOf(['transfer'], 'Paid or received inside'),
  at: Millis('when the service began to make it'),
  side: OneOf(['payer', 'payee'], 'Whether they have paid, or were paid'),
  mint: Address('Of the token'),
  amount: Decimal('Base units, decimal'),
  paymentCode: PaymentCode,
  state: OneOf(
    ['made', 'unconfirmed'],
    'unconfirmed: the service was stopped while it made it, and the layer does not say; the balance shows whether it has moved',
  ),
  receipt: Nullable(Receipt, { description: 'null: it is not made' }),
});

export const HistoryView = Closed({
  recipient: Address('Whose history this is'),
  items: Type.Array(Type.Union([Payment, Withdrawal, TransferView]), {
    description: 'Newest first; fewer than asked for where windows have paid nothing',
  }),
  nextCursor: NextCursor('Asks for what is older'),
});

const Proof = Closed({
  mint: Address('Of the token'),
  sequence: Decimal('Number of the recording'),
  root: Hash('Of the tree, which the base ledger has'),
  leaves: Count('Of the tree'),
  leaf: Closed({
    kind: OneOf(['balance'], 'Of a balance, or of a withdrawal under way'),
    index: Count('Of the leaf'),
    owner: Hash('Who owns the balance, without saying it'),
    amount: Decimal('Base units, decimal'),
    number: Decimal('Of the withdrawal; 0: it is the balance'),
    blind: Type.String({ pattern: '^[0-9a-f]+$', description: 'Secret: without it nobody can try amounts' }),
  }),
  proof: Type.Array(Hash('Of a neighbour'), { description: 'From the leaf to the root' }),
});

export const ProofsView = Closed({
  payoutsProof: Type.Literal(1, { description: 'Form of this file' }),
  balances: Type.Array(
    Closed({
      recipient: Address('Whose it is'),
      salt: Salt,
      delivery: OneOf(['balance', 'wallet'], 'Where its money goes'),
      proofs: Type.Array(Proof),
    }),
    { description: 'Balances that the last recording has' },
  ),
});

const PAGE = 20;

/** What a cursor of a history looks like: a time and a mark. */
const CURSOR = '^h[0-9]{1,15}-[0-9]{1,15}$';

export const HistoryQuery = Closed({
  cursor: PageCursor(CURSOR, 'h1796025604902-17'),
  limit: PageLimit(`Items on a page at most: 1 to 100; ${PAGE} if not given`),
});

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

export const TransactionBody = Closed({
  transaction: Type.String({
    minLength: 1,
    maxLength: 1_644,
    description:
      "A transaction for the execution layer in base 64: the recipient's own instructions alone, with no other signer, and the " +
      'blockhash of their balances’ answer',
    pattern: '^[A-Za-z0-9+/]+={0,2}$',
    examples: [TRANSACTION],
  }),
});

export const TransactionView = Closed({
  signature: Signature('By which the execution layer knows it'),
  state: OneOf(['executed'], 'The execution layer has executed it'),
});

export const RelayedBody = Closed({
  transaction: Type.String({
    minLength: 1,
    maxLength: 1_644,
    description: 'A transaction for the base ledger in base 64, signed by the wallet and not yet by the relay',
    pattern: '^[A-Za-z0-9+/]+={0,2}$',
    examples: [TRANSACTION],
  }),
});

export const RelayedView = Closed({
  signature: Signature('By which the base ledger knows it'),
  state: OneOf(['confirmed'], 'The base ledger has confirmed it'),
});

const recipient = 'DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hy';
const schedulePda = '7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5';
const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const balance = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';
const wallet = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
const signature = '3AsdoALgZFuq2oUVWrDYhg2pNeaLJKPLf8hU2mQ6U8qJxeJ6hsrPVpMn9ma39DtfYCrDQSvngWRP8NnTpEhezJpE';

export const BALANCES_EXAMPLE: Static<typeof BalancesView> = {
  recipient,
  program: 'FdGtEumYQjyKr1jmRmM7ifyvhRCsqE7Rt4stXPjnYq6R',
  executionAuthority: '7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5',
  isPrivate: true,
  blockhash: 'EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N',
  lastValidBlockHeight: '182301',
  balances: [
    {
      address: balance,
      mint,
      symbol: 'USDC',
      decimals: 6,
      place: { page: 'BPFLoaderUpgradeab1e11111111111111111111111', slot: 17 },
      salt: '5f2d9d0c0f7c4b1f8a3f5e0a9d3c7b21',
      delivery: 'balance',
      personal: 'SysvarC1ock11111111111111111111111111111111',
      personalNumber: 2,
      personalKey: '0c1f8a3f5e0a9d3c7b215f2d9d0c0f7c',
      amount: '1250500000',
      withdrawals: [
        { id: 3, number: '17', amount: '300000000', wallet, state: 'recorded', releaseAt: null, inRound: false },
      ],
      transfers: [],
      standing: [{ id: 4, amount: '500000000', wallet }],
      order: { threshold: '1000000000', wallet, part: '500000000', delayMinutes: { least: 60, most: 10_080 } },
      recovery: { wallet, change: null, completesAt: null },
      schedules: [schedulePda],
    },
  ],
};

export const PROOFS_EXAMPLE: Static<typeof ProofsView> = {
  payoutsProof: 1,
  balances: [
    {
      recipient,
      salt: '5f2d9d0c0f7c4b1f8a3f5e0a9d3c7b21',
      delivery: 'balance',
      proofs: [
        {
          mint,
          sequence: '41',
          root: '5f0c3a1d9be2476888a1c04e7d52f3b96a0e1c8d7f4b2a3956e8d1c0b7a49f21',
          leaves: 2,
          leaf: {
            kind: 'balance',
            index: 0,
            owner: 'c2a90b7d14e85f3360d1f8a2479be5c07d3e6a1b92f0c4d85e7a3b6c1f20d948',
            amount: '1250500000',
            number: '0',
            blind: '0c1f8a3f5e0a9d3c7b215f2d9d0c0f7c',
          },
          proof: ['7d52f3b96a0e1c8d7f4b2a3956e8d1c0b7a49f215f0c3a1d9be2476888a1c04e'],
        },
      ],
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
    {
      kind: 'transfer',
      at: 1_796_025_501_313,
      side: 'payer',
      mint,
      amount: '250000000',
      paymentCode: PAYMENT_CODE_EXAMPLE.paymentCode,
      state: 'made',
      receipt: {
        transferReceipt: 1,
        transfer: {
          program: 'FdGtEumYQjyKr1jmRmM7ifyvhRCsqE7Rt4stXPjnYq6R',
          mint,
          decimals: 6,
          symbol: 'USDC',
          amount: '250000000',
          paymentCode: PAYMENT_CODE_EXAMPLE.paymentCode,
          payer: '5f0c3a1d9be2476888a1c04e7d52f3b96a0e1c8d7f4b2a3956e8d1c0b7a49f21',
          madeAt: 1_796_025_501_520,
          issuer: schedulePda,
          signature,
        },
        opening: { side: 'payer', recipient, secret: '0c1f8a3f5e0a9d3c7b215f2d9d0c0f7c' },
      },
    },
  ],
  nextCursor: null,
};

export const TRANSACTION_EXAMPLE: Static<typeof TransactionView> = { signature, state: 'executed' };

export const RELAYED_EXAMPLE: Static<typeof RelayedView> = { signature, state: 'confirmed' };
