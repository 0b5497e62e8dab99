import { type Static, Type } from 'typebox';
import { ADDRESS_FORMAT, ScheduleParams } from './schemas.ts';

/** What the routes for whoever signs take and answer. */

const CLOSED = { additionalProperties: false };
const Address = (description: string) => Type.String({ format: ADDRESS_FORMAT, description });
const Hash = (description: string) => Type.String({ pattern: '^[0-9a-f]{64}$', description });
const Amount = (description: string) => Type.String({ pattern: '^[0-9]{1,20}$', description });

/** The signature's headers, for the document; what is wrong with them is said with a status of its own. */
export const SignatureHeaders = Type.Object({
  'signature-input': Type.Optional(Type.String({ description: 'RFC 9421: what is signed' })),
});

const Entry = {
  index: Type.Integer({ minimum: 0, description: 'Place in the list, from 0' }),
  amount: Amount('Base units per execution, decimal'),
  salt: Type.String({ pattern: '^[0-9a-f]{32}$', description: '16 bytes, hexadecimal' }),
  delivery: Type.Enum(['balance', 'wallet'], { type: 'string', description: 'Where a payment goes' }),
};
const Proof = Type.Array(Hash('A hash of the tree'), {
  description: "Hashes from the leaf's sibling upwards; they and the leaf rebuild the root",
});

export const RecipientsPage = Type.Object(
  {
    schedulePda: Address('Of the schedule'),
    root: Hash('Root that the list rebuilds'),
    rootVersion: Type.Integer(),
    total: Type.Integer({ description: 'Entries of the whole list' }),
    recipients: Type.Array(
      Type.Object({ ...Entry, recipient: Address('Of the recipient'), proof: Type.Optional(Proof) }, CLOSED),
    ),
    nextCursor: Type.Union([Type.String({ description: 'Asks for the page that follows' }), Type.Null()]),
  },
  CLOSED,
);

const Receipt = Type.Object(
  {
    window: Type.String({ pattern: '^[0-9]{1,20}$', description: 'Number of the window' }),
    state: Type.Enum(['settled'], { type: 'string', description: 'Final on the base ledger' }),
    root: Hash('Root of the list that the window paid'),
    index: Type.Integer({ minimum: 0, description: 'Place in that list' }),
    amount: Amount('Base units that the list says, decimal'),
    paid: Type.Union([Type.Boolean(), Type.Null()], {
      description: 'Whether the window paid it; null: this service does not know',
    }),
    settledAt: Type.Union([Type.Integer({ description: 'Unix milliseconds' }), Type.Null()]),
    signature: Type.Union([Type.String({ description: "Of the window's settlement on the base ledger" }), Type.Null()]),
  },
  CLOSED,
);

export const RecipientView = Type.Object(
  {
    schedulePda: Address('Of the schedule'),
    recipient: Address('Whose entries these are'),
    root: Hash('Current root on the ledger'),
    rootVersion: Type.Integer(),
    recipients: Type.Integer({ description: 'How many the current root has; a proof is checked with it' }),
    entries: Type.Array(Type.Object({ ...Entry, proof: Proof }, CLOSED), {
      description: 'Entries in the current list; several for one who is in it several times',
    }),
    receipts: Type.Array(Receipt, { description: 'Settled windows, newest first, also of replaced lists' }),
    nextCursor: Type.Union([Type.String({ description: 'Asks for the receipts that follow' }), Type.Null()]),
  },
  CLOSED,
);

/** A path that names a recipient of a schedule. */
export const RecipientParams = Type.Object({
  ...ScheduleParams.properties,
  address: Type.Union([Type.Literal('me'), Type.String({ format: ADDRESS_FORMAT })], {
    description: 'The recipient; `me`: whoever signs, so that no address is in a path that others log',
    examples: ['me'],
  }),
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
