import { type Static, Type } from 'typebox';
import {
  DELIVERY_OUTCOMES,
  DISABLED_REASONS,
  MAX_ENDPOINTS,
  MESSAGE_STATES,
  WEBHOOK_TYPES,
} from '../domain/webhook.ts';
import { MAX_REPLAYED } from '../store/queries/webhookMessages.ts';
import { Closed, Millis, Nullable, OneOf } from './schemaParts.ts';
import { ScheduleParams } from './schemas.ts';

/** What the routes for webhooks take and answer. */

const LONGEST_URL = 2_000;

/** For how many messages deliveries are shown. */
export const SHOWN_MESSAGES = 50;

const id = '0b8f6c1e-52a4-4c57-9d27-3c8a5b1e7f60';
const messageId = 'msg_5d0f7a92-6f1b-4a34-8f0e-9b7c1d2e3f45';
const url = 'https://payroll.example.com/hooks/payouts';
const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

const Coordinate = (description: string) => Type.String({ pattern: '^[A-Za-z0-9_-]{43}$', description });

/** A public key as RFC 7517 and RFC 8037 write it; one with its private part is refused. */
export const EncryptionKey = Closed(
  {
    kty: OneOf(['EC', 'OKP'], 'EC for P-256, OKP for X25519'),
    crv: OneOf(['P-256', 'X25519'], 'The curve'),
    x: Coordinate('base64url'),
    y: Type.Optional(Coordinate('base64url; of P-256')),
    kid: Type.Optional(
      Type.String({ pattern: '^[A-Za-z0-9._-]{1,64}$', description: 'Names the key in what is sent' }),
    ),
    use: Type.Optional(OneOf(['enc'], 'What the key is for')),
    alg: Type.Optional(OneOf(['ECDH-ES'], 'How it is used')),
  },
  { description: 'A public JWK: messages of unpaid recipients then name them, for its holder alone' },
);

export const Scope = Type.Optional(
  OneOf(['schedule', 'vault'], 'This schedule alone, or all of its vault; the schedule if left out'),
);

export const WebhookBody = Closed(
  {
    url: Type.String({ minLength: 1, maxLength: LONGEST_URL, description: 'Where messages are sent: https' }),
    scope: Scope,
    types: Type.Optional(
      Type.Array(OneOf(WEBHOOK_TYPES, 'A type of message'), {
        minItems: 1,
        maxItems: WEBHOOK_TYPES.length,
        uniqueItems: true,
        description: 'What is told; all if left out',
      }),
    ),
    encryptionKey: Type.Optional(EncryptionKey),
  },
  { examples: [{ url, scope: 'vault', types: ['run.held', 'run.completed'] }] },
);

/** A path that names a webhook of a schedule. */
export const WebhookParams = Type.Object({
  ...ScheduleParams.properties,
  id: Type.String({ description: 'Of the webhook', examples: [id] }),
});

const fields = {
  id: Type.String({ format: 'uuid', description: 'Names the webhook' }),
  schedulePda: Nullable(Type.String({ description: 'Of the schedule; null: all of the vault' })),
  vault: Type.String({ description: 'Address of the vault' }),
  url: Type.String({ description: 'Where messages are sent' }),
  types: Type.Array(OneOf(WEBHOOK_TYPES, 'A type of message'), { description: 'What is told' }),
  encrypts: Type.Boolean({ description: 'Whether it has a key, so that messages name unpaid recipients' }),
  state: OneOf(['active', 'failing', 'disabled'], 'Where it stands'),
  disabledWhy: Nullable(OneOf(DISABLED_REASONS, 'It answered 410, or failed for three days')),
  failingSince: Nullable(Millis('nothing was delivered since')),
  formerSecretUntil: Nullable(Millis('the replaced secret signs as well until then')),
  createdAt: Millis(),
};

export const WebhookView = Closed(fields);
export const WebhookWithSecret = Closed({
  ...fields,
  secret: Type.String({ pattern: '^whsec_', description: 'What messages are signed with; it is shown this once' }),
});
export const WebhooksView = Closed({
  webhooks: Type.Array(WebhookView, { description: `Oldest first; ${MAX_ENDPOINTS} at most for a vault` }),
});

export const MessageView = Closed({ messageId: Type.String({ description: 'Its `webhook-id`' }) });

const MessageId = Type.String({
  pattern: '^msg_[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
  description: 'The `webhook-id` of a message',
});

export const ReplayBody = Type.Union(
  [Closed({ since: Millis('messages of what has happened since') }), Closed({ messageId: MessageId })],
  { examples: [{ since: 1_796_025_604_902 }, { messageId }] },
);
export const ReplayView = Closed({
  replayed: Type.Integer({ description: `Messages that are sent again: ${MAX_REPLAYED} at a time, oldest first` }),
});

export const DeliveriesView = Closed({
  deliveries: Type.Array(
    Closed({
      messageId: Type.String({ description: 'Its `webhook-id`, the same for each attempt' }),
      type: OneOf([...WEBHOOK_TYPES, 'webhook.test'], 'What it tells'),
      at: Millis('when that happened'),
      schedulePda: Type.String({ description: 'Of which schedule' }),
      window: Nullable(Type.String({ description: 'Of which window' })),
      state: OneOf(MESSAGE_STATES, 'failed: it is not sent any more, unless it is replayed'),
      nextAt: Nullable(Millis('when it is sent next')),
      attempts: Type.Array(
        Closed({
          at: Millis(),
          outcome: OneOf(DELIVERY_OUTCOMES, 'What the try came to'),
          status: Nullable(Type.Integer({ description: 'What the receiver answered' })),
          milliseconds: Type.Integer({ description: 'How long it took' }),
        }),
        { description: 'The last tries, oldest first' },
      ),
    }),
    { description: `The last ${SHOWN_MESSAGES} messages, newest first` },
  ),
});

export const WEBHOOK_EXAMPLE: Static<typeof WebhookView> = {
  id,
  schedulePda: null,
  vault: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin',
  url,
  types: ['run.held', 'run.completed'],
  encrypts: false,
  state: 'active',
  disabledWhy: null,
  failingSince: null,
  formerSecretUntil: null,
  createdAt: 1_796_025_604_902,
};
export const WEBHOOK_SECRET_EXAMPLE: Static<typeof WebhookWithSecret> = { ...WEBHOOK_EXAMPLE, secret };
export const MESSAGE_EXAMPLE: Static<typeof MessageView> = { messageId };
export const DELIVERIES_EXAMPLE: Static<typeof DeliveriesView> = {
  deliveries: [
    {
      messageId,
      type: 'run.completed',
      at: 1_796_025_604_902,
      schedulePda: '7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5',
      window: '3',
      state: 'delivered',
      nextAt: null,
      attempts: [
        { at: 1_796_025_605_102, outcome: 'refused', status: 503, milliseconds: 41 },
        { at: 1_796_025_610_640, outcome: 'delivered', status: 204, milliseconds: 38 },
      ],
    },
  ],
};
