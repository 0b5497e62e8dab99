import { type Static, Type } from 'typebox';
import { CHAT_FORMATS, MAX_NOTICES, NOTICE_DETAILS, NOTICE_TYPES } from '../domain/notice.ts';
import { DISABLED_REASONS } from '../domain/webhook.ts';
import { Address, Closed, Millis, Nullable, OneOf } from './schemaParts.ts';
import { Scope } from './webhookSchemas.ts';

/** What the routes for notices take and answer. */

const LONGEST_ADDRESS = 2_000;

const id = '0b8f6c1e-52a4-4c57-9d27-3c8a5b1e7f60';
const vault = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
const schedulePda = '7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5';

export const NoticeBody = Closed(
  {
    address: Type.String({
      minLength: 1,
      maxLength: LONGEST_ADDRESS,
      description: "An e-mail address, or the https address of a chat's webhook",
    }),
    format: Type.Optional(
      OneOf(CHAT_FORMATS, 'The form that the chat takes; slack if left out. Mattermost and Rocket.Chat take it, too'),
    ),
    schedulePda: Type.Optional(
      Address('A schedule of the signer, who is told of it as its employer; left out: of their own money'),
    ),
    scope: Scope,
    types: Type.Optional(
      Type.Array(OneOf(NOTICE_TYPES, 'What is told'), {
        minItems: 1,
        maxItems: NOTICE_TYPES.length,
        uniqueItems: true,
        description: 'Of employers those of webhooks, of recipients the last four; all of these if left out',
      }),
    ),
    details: Type.Optional(
      OneOf(
        NOTICE_DETAILS,
        'none: that something has happened; amounts: which payroll and how much, too. none if left out',
      ),
    ),
  },
  {
    examples: [
      { address: 'ada@example.com' },
      { address: 'ada@example.com', schedulePda, scope: 'vault', types: ['run.held'] },
    ],
  },
);

/** A path that names a notice. */
export const NoticeParams = Type.Object({ id: Type.String({ description: 'Of the notice', examples: [id] }) });

export const CodeBody = Closed(
  { code: Type.String({ minLength: 1, maxLength: 40, description: 'As the e-mail has it' }) },
  { examples: [{ code: 'K7PQ2MXW4D' }] },
);

export const NoticeView = Closed({
  id: Type.String({ format: 'uuid', description: 'Names the notice' }),
  address: Type.String({ description: 'Where it goes' }),
  format: Nullable(OneOf(CHAT_FORMATS, 'Of a chat; null: by e-mail')),
  vault: Nullable(Type.String({ description: "Of an employer; null: of a recipient's own money" })),
  schedulePda: Nullable(Type.String({ description: 'Of the schedule; null: all of the vault' })),
  types: Type.Array(OneOf(NOTICE_TYPES, 'What is told'), { description: 'What is told' }),
  details: OneOf(NOTICE_DETAILS, 'What is said of it'),
  state: OneOf(
    ['unconfirmed', 'active', 'failing', 'disabled'],
    'unconfirmed: the code that was sent to the address is waited for, for an hour',
  ),
  disabledWhy: Nullable(OneOf(DISABLED_REASONS, 'The address is not there, or nothing arrived for three days')),
  createdAt: Millis(),
});
export const NoticesView = Closed({
  notices: Type.Array(NoticeView, { description: `Oldest first; ${MAX_NOTICES} at most for a key` }),
});

export const NOTICE_EXAMPLE: Static<typeof NoticeView> = {
  id,
  address: 'ada@example.com',
  format: null,
  vault,
  schedulePda: null,
  types: ['run.held', 'run.completed'],
  details: 'none',
  state: 'unconfirmed',
  disabledWhy: null,
  createdAt: 1_796_025_604_902,
};

/** A path with what an unsubscribe link has. */
export const UnsubscribeParams = Type.Object({
  token: Type.String({
    description: 'As the e-mail has it',
    examples: ['kVv9cA4r6wB8bqJ1o5m0t2yXzQnUeHdLsPfGiRjCaNE'],
  }),
});
