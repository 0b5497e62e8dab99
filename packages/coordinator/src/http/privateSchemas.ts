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
} from './schemaParts.ts';
import { ScheduleParams } from './schemas.ts';

/** What the routes for whoever signs take and answer. */

/** The signature's headers, for the document; what is wrong with them is said with a status of its own. */
export const SignatureHeaders = Type.Object({
  'signature-input': Type.Optional(Type.String({ description: 'RFC 9421: what is signed' })),
});

const Entry = {
  index: Count('Place in the list, from 0'),
  amount: Decimal('Base units per execution, decimal'),
  salt: Type.String({ pattern: '^[0-9a-f]{32}$', description: '16 bytes, hexadecimal' }),
  delivery: OneOf(['balance', 'wallet'], 'Where a payment goes'),
};
const Proof = Type.Array(Hash('A hash of the tree'), {
  description: "Hashes from the leaf's sibling upwards; they and the leaf rebuild the root",
});

export const RecipientsPage = Closed({
  schedulePda: Address('Of the schedule'),
  root: Hash('Root that the list rebuilds'),
  rootVersion: Type.Integer(),
  total: Type.Integer({ description: 'Entries of the whole list' }),
  recipients: Type.Array(Closed({ ...Entry, recipient: Address('Of the recipient'), proof: Type.Optional(Proof) })),
  nextCursor: NextCursor('Asks for the page that follows'),
});

const Receipt = Closed({
  window: Decimal('Number of the window'),
  state: OneOf(['settled'], 'Final on the base ledger'),
  root: Hash('Root of the list that the window paid'),
  index: Count('Place in that list'),
  amount: Decimal('Base units that the list says, decimal'),
  paid: Nullable(Type.Boolean(), {
    description: 'Whether the window paid it; null: this service does not know',
  }),
  settledAt: Nullable(Millis('when the base ledger settled the window, by its own clock')),
  signature: Nullable(Type.String({ description: "Of the window's settlement on the base ledger" })),
});

export const RecipientView = Closed({
  schedulePda: Address('Of the schedule'),
  recipient: Address('Whose entries these are'),
  root: Hash('Current root on the ledger'),
  rootVersion: Type.Integer(),
  recipients: Type.Integer({ description: 'How many the current root has; a proof is checked with it' }),
  entries: Type.Array(Closed({ ...Entry, proof: Proof }), {
    description: 'Entries in the current list; several for one who is in it several times',
  }),
  receipts: Type.Array(Receipt, { description: 'Settled windows, newest first, also of replaced lists' }),
  nextCursor: NextCursor('Asks for the receipts that follow'),
});

/** A path that names a recipient of a schedule. */
export const RecipientParams = Type.Object({
  ...ScheduleParams.properties,
  address: MeOrAddress('The recipient; `me`: whoever signs, so that no address is in a path that others log'),
});

const schedulePda = '7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5';
const recipient = 'DRpbCBMxVnDK7maPM5tGv6MvB3v1sRMC86PZ8okm21hy';
const root = '5f0c3a1d9be2476888a1c04e7d52f3b96a0e1c8d7f4b2a3956e8d1c0b7a49f21';
const entry = {
  index: 0,
  amount: '1500000000',
  salt: '00112233445566778899aabbccddeeff',
  delivery: 'balance' as const,
};
const proof = ['8d6f0c3a1d9be2476888a1c04e7d52f3b96a0e1c8d7f4b2a3956e8d1c0b7a49f'];

export const RECIPIENTS_EXAMPLE: Static<typeof RecipientsPage> = {
  schedulePda,
  root,
  rootVersion: 0,
  total: 500,
  recipients: [{ ...entry, recipient }],
  nextCursor: `r${root}-1`,
};

export const RECIPIENT_EXAMPLE: Static<typeof RecipientView> = {
  schedulePda,
  recipient,
  root,
  rootVersion: 0,
  recipients: 2,
  entries: [{ ...entry, proof }],
  receipts: [
    {
      window: '2',
      state: 'settled',
      root,
      index: 0,
      amount: '1500000000',
      paid: true,
      settledAt: 1_796_025_604_902,
      signature: '3AsdoALgZFuq2oUVWrDYhg2pNeaLJKPLf8hU2mQ6U8qJxeJ6hsrPVpMn9ma39DtfYCrDQSvngWRP8NnTpEhezJpE',
    },
  ],
  nextCursor: null,
};
