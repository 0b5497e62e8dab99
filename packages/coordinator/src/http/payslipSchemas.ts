import { type Static, Type } from 'typebox';
import { RecipientParams } from './privateSchemas.ts';
import { Address, Closed, Count, Decimal, Hash, Millis, Nullable, OneOf, Signature } from './schemaParts.ts';
import { ScheduleParams } from './schemas.ts';

/** What the routes for payslips and audits answer. */

const window = Type.String({
  pattern: '^(0|[1-9][0-9]{0,17})$',
  description: 'Number of the window',
  examples: ['2'],
});

/** A path that names a window of a schedule. */
export const WindowParams = Type.Object({ ...ScheduleParams.properties, window });
/** A path that names a window and a recipient. */
export const PayslipParams = Type.Object({ ...RecipientParams.properties, window });

export const SignedWindowView = Closed(
  {
    program: Address('The ledger program'),
    vault: Address('Of the employer'),
    schedule: Address('Of the schedule'),
    mint: Address('The token'),
    decimals: Count('Of the token'),
    symbol: Nullable(Type.String(), { description: 'What the token calls itself; null: not known' }),
    window: Decimal('Number of the window'),
    root: Hash('Root of the list that the window paid'),
    recipients: Count('Entries of that list'),
    promised: Decimal('Sum of the list in base units'),
    paidCount: Count('Entries that were paid'),
    paid: Decimal('What was paid, in base units'),
    held: Type.Array(Count('An index'), { description: 'Indexes that the employer held back; public on the ledger' }),
    bitmapHash: Hash('Of who was paid or held back, as the settlement left it on the base ledger'),
    settlement: Closed({
      signature: Signature('By which the base ledger finds the transaction'),
      slot: Nullable(Decimal('In which it landed'), { description: 'null: the node has forgotten' }),
      transaction: Type.String({ description: 'Its bytes, base 64' }),
    }),
    settledAt: Millis('when the base ledger settled the window, by its own clock'),
    issuer: Address('The execution authority'),
    signature: Signature("The issuer's, over everything above but the transaction's bytes, which carry their own"),
  },
  { description: 'What the window paid in all; it names no recipient' },
);

export const PayslipView = Closed({
  payslip: Type.Literal(1, { description: 'Version of the format' }),
  leaf: Closed({
    index: Count('Place in the list, from 0'),
    recipient: Address('Of the recipient'),
    amount: Decimal('Base units, decimal'),
    delivery: OneOf(['balance', 'wallet'], 'Where the payment went'),
    salt: Type.String({ pattern: '^[0-9a-f]{32}$', description: '16 bytes, hexadecimal' }),
  }),
  proof: Type.Array(Hash('A hash of the tree'), { description: 'From the leaf up; rebuilds the root' }),
  bitmap: Type.String({
    pattern: '^[0-9a-f]{2}(\\*[0-9]+)?( [0-9a-f]{2}(\\*[0-9]+)?)*$',
    description:
      'Bytes in hexadecimal, `ff*12` for twelve the same; bit i of byte i / 8: entry i was paid or held back',
  }),
  settled: SignedWindowView,
});

export const PayslipsView = Closed({
  schedulePda: Address('Of the schedule'),
  window: Decimal('Number of the window'),
  payslips: Type.Array(PayslipView, { description: 'One for each entry that was paid' }),
  unpaid: Type.Array(
    Closed({
      index: Count('Place in the list'),
      amount: Decimal('Base units that the list says, decimal'),
      reason: OneOf(['held', 'unpaid'], 'held: by the employer; unpaid: could not be paid until the window was closed'),
    }),
    { description: 'Entries of the recipient that the window did not pay' },
  ),
});

const settlement = '3AsdoALgZFuq2oUVWrDYhg2pNeaLJKPLf8hU2mQ6U8qJxeJ6hsrPVpMn9ma39DtfYCrDQSvngWRP8NnTpEhezJpE';
const root = '5f0c3a1d9be2476888a1c04e7d52f3b96a0e1c8d7f4b2a3956e8d1c0b7a49f21';

export const SIGNED_WINDOW_EXAMPLE: Static<typeof SignedWindowView> = {
  program: 'DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hy',
  vault: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin',
  schedule: '7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5',
  mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  decimals: 6,
  symbol: 'USDC',
  window: '2',
  root,
  recipients: 2,
  promised: '4000000000',
  paidCount: 1,
  paid: '1500000000',
  held: [1],
  bitmapHash: '8d6f0c3a1d9be2476888a1c04e7d52f3b96a0e1c8d7f4b2a3956e8d1c0b7a49f',
  settlement: { signature: settlement, slot: '311204117', transaction: 'AQ==' },
  settledAt: 1_796_025_604_902,
  issuer: 'DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hy',
  signature: settlement,
};

export const PAYSLIP_EXAMPLE: Static<typeof PayslipView> = {
  payslip: 1,
  leaf: {
    index: 0,
    recipient: 'DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hy',
    amount: '1500000000',
    salt: '00112233445566778899aabbccddeeff',
    delivery: 'balance',
  },
  proof: ['8d6f0c3a1d9be2476888a1c04e7d52f3b96a0e1c8d7f4b2a3956e8d1c0b7a49f'],
  bitmap: '03',
  settled: SIGNED_WINDOW_EXAMPLE,
};

export const PAYSLIPS_EXAMPLE: Static<typeof PayslipsView> = {
  schedulePda: SIGNED_WINDOW_EXAMPLE.schedule,
  window: '2',
  payslips: [PAYSLIP_EXAMPLE],
  unpaid: [{ index: 1, amount: '2500000000', reason: 'held' }],
};

/** One line of an export. */
export const PAYSLIP_LINE_EXAMPLE = `${JSON.stringify(PAYSLIP_EXAMPLE)}\n`;
