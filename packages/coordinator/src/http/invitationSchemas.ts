import { MAX_INVITATIONS_AT_ONCE } from '@payouts/client';
import { type Static, Type } from 'typebox';
import { MAX_ANSWERS, MAX_INVITATIONS, MAX_SEALED_LETTERS } from '../domain/invitation.ts';
import { Address, Closed, Hash, Millis } from './schemaParts.ts';

/** What the routes for invitations, and for requests for another address, take and answer. */

const HASH_LETTERS = 43;

const id = '5f1d7c3a9b0e4f628d1c5a7e3b9f0d2c4e6a8b1d3f5c7e9a0b2d4f6c8e1a3b5d';
const vault = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
const schedulePda = '7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5';
const next = '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T';
const sealed = 'q1w2e3r4t5z6u7i8o9p0a1s2d3f4g5h6j7k8l9';
const token = 'kVv9cA4r6wB8bqJ1o5m0t2yXzQnUeHdLsPfGiRjCaNE';
const signature = 'q'.repeat(86);
const at = 1_796_025_604_902;

const Sealed = (description: string) =>
  Type.String({ pattern: `^[A-Za-z0-9_-]{32,${MAX_SEALED_LETTERS}}$`, description });
const Bytes32 = (description: string) => Type.String({ pattern: `^[A-Za-z0-9_-]{${HASH_LETTERS}}$`, description });
const Proof = (description: string) => Type.String({ pattern: '^[A-Za-z0-9_-]{86}$', description });

const KEPT = {
  id: Hash("SHA-256 of what the invitation's link shows"),
  content: Sealed('What it says: encrypted with a key that the link has'),
  kept: Sealed("What the link has: encrypted with a key of the employer's"),
};

export const InvitationsBody = Closed(
  {
    vault: Address("The employer's vault"),
    expiresAt: Millis('after which they open nothing, at most 90 days from now'),
    invitations: Type.Array(Closed(KEPT), { minItems: 1, maxItems: MAX_INVITATIONS_AT_ONCE }),
  },
  { examples: [{ vault, expiresAt: at, invitations: [{ id, content: sealed, kept: sealed }] }] },
);
export const InvitationsKeptView = Closed({ count: Type.Integer({ minimum: 1, description: 'How many are kept' }) });

export const InvitationsView = Closed({
  invitations: Type.Array(
    Closed({
      ...KEPT,
      vault: Address("The employer's vault"),
      createdAt: Millis(),
      expiresAt: Millis(),
      answers: Type.Array(
        Closed({
          sealed: Sealed('An address and its proof, encrypted with the key of the link'),
          answeredAt: Millis(),
        }),
        { description: `In the order in which they came, each with another address; ${MAX_ANSWERS} at most` },
      ),
    }),
    { description: `Oldest first; ${MAX_INVITATIONS} at most` },
  ),
});
export const INVITATIONS_EXAMPLE: Static<typeof InvitationsView> = {
  invitations: [
    {
      ...{ id, content: sealed, kept: sealed, vault, createdAt: at, expiresAt: at },
      answers: [{ sealed, answeredAt: at }],
    },
  ],
};

/** A path that names an invitation. */
export const InvitationParams = Type.Object({ id: Type.String({ description: 'Of the invitation', examples: [id] }) });
export const InvitationRemovedView = Closed({ id: Hash('Of the invitation') });
export const INVITATION_REMOVED: Static<typeof InvitationRemovedView> = { id };

export const OpenBody = Closed(
  { token: Bytes32('What the link shows; the id is its hash') },
  { examples: [{ token }] },
);
export const OpenView = Closed({
  vault: Address('Whose employer has sent the invitation'),
  content: Sealed('What it says: encrypted with a key that the link has'),
  expiresAt: Millis(),
});
export const OPEN_EXAMPLE: Static<typeof OpenView> = { vault, content: sealed, expiresAt: at };

export const AnswerBody = Closed(
  {
    token: Bytes32('What the link shows'),
    mark: Bytes32('A keyed hash of the address: the same for the same one'),
    sealed: Sealed('The address and its proof, encrypted with the key of the link'),
  },
  { examples: [{ token, mark: token, sealed }] },
);
export const AnswerView = Closed({ state: Type.Literal('kept') });

const SIGNATURES = Closed({
  present: Proof('Of the key that is paid today, over the text that the client has'),
  next: Proof('Of the key of the new address, over the same text'),
});
export const AddressChangeBody = Closed(
  {
    schedulePda: Address('A schedule that pays the signer'),
    next: Address('Where its employer is to pay'),
    askedAt: Millis('as the signed text has it'),
    signatures: SIGNATURES,
  },
  { examples: [{ schedulePda, next, askedAt: at, signatures: { present: signature, next: signature } }] },
);
export const AddressChangeParams = Type.Object({
  id: Type.String({ description: 'Of the request', examples: ['0b8f6c1e-52a4-4c57-9d27-3c8a5b1e7f60'] }),
});
export const AddressChangeIdView = Closed({ id: Type.String({ format: 'uuid', description: 'Names the request' }) });
export const ADDRESS_CHANGE_ID: Static<typeof AddressChangeIdView> = { id: '0b8f6c1e-52a4-4c57-9d27-3c8a5b1e7f60' };
export const AddressChangesView = Closed({
  changes: Type.Array(
    Closed({
      id: Type.String({ format: 'uuid', description: 'Names the request' }),
      vault: Address('Whose recipient asks'),
      present: Address('That is paid today'),
      next: Address('That is to be paid'),
      askedAt: Millis(),
      signatures: SIGNATURES,
    }),
    { description: 'Oldest first; one at most of each recipient of a vault' },
  ),
});
export const ADDRESS_CHANGES_EXAMPLE: Static<typeof AddressChangesView> = {
  changes: [
    {
      ...ADDRESS_CHANGE_ID,
      ...{ vault, present: vault, next, askedAt: at, signatures: { present: signature, next: signature } },
    },
  ],
};
