import { finished, type Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Problem, type ProblemCode } from '../../domain/problems.ts';
import { bodyTooLarge, mostSent, type Reading, type ReceivedBody, readBody } from '../../lists/body.ts';
import { idempotencyKey } from '../../lists/idempotencyKey.ts';
import type { ListSeal } from '../../lists/listSeal.ts';
import type { Logger } from '../../platform/log/log.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { json, LIMIT_FIELDS, readProblems } from '../answers.ts';
import { problemOf } from '../errors.ts';
import { REGISTRATION_EXAMPLE } from '../examples.ts';
import type { Api } from '../httpServer.ts';
import { JOSE } from '../plugins/encryption.ts';
import { type RegistrarInput, register } from '../registration.ts';
import { RegistrationBody, RegistrationView } from '../schemas.ts';

const CODES = [
  'invalid-json',
  'sealed-unreadable',
  'invalid-body',
  'invalid-address',
  'idempotency-key-invalid',
  'invalid-query',
  'schedule-not-found',
  'list-conflict',
  'body-too-large',
  'unsupported-media-type',
  'invalid-recipient',
  'count-mismatch',
  'total-mismatch',
  'mint-mismatch',
  'proof-mismatch',
  'root-mismatch',
  'root-replaced',
  'idempotency-key-reused',
  'concurrency-limited',
  'ledger-unavailable',
  'key-service-unavailable',
] as const;

const REPLAYED = {
  'Idempotency-Replayed': Type.Optional(
    Type.Literal('true', { description: 'This was answered before to the same list under the same Idempotency-Key' }),
  ),
};
const FIELDS = { ...LIMIT_FIELDS, ...REPLAYED };

const schema = {
  operationId: 'registerSchedule',
  tags: ['schedules'],
  summary: "Registers a schedule's recipients",
  description:
    'The list must rebuild the root on the ledger, as far as it is final there, and add up to its amount and count. ' +
    '201: stored; 200: the same list was stored before. The body is read as it arrives: a list of a million recipients is one request. As `application/jose` it is sealed for `listKey` of ' +
    '`GET /api/deployment`: pieces of the JSON text, each a compact JWE (ECDH-ES, A256GCM, with the `kid` of the key), one a line.',
  headers: Type.Object({
    'idempotency-key': Type.Optional(
      Type.String({
        pattern: '^("([!#-\\[\\]-~]|\\\\["\\\\]){1,255}"|[!#-~]{1,255})$',
        description:
          'Any text that is used once, such as a UUID, in double quotes or without. The same list sent again under the same key ' +
          'within 24 hours is answered as the first time, with Idempotency-Replayed; another list under it is refused.',
      }),
    ),
  }),
  body: RegistrationBody,
  response: {
    ...readProblems(...CODES),
    200: json(
      'The same list was registered before',
      RegistrationView,
      { ...REGISTRATION_EXAMPLE, created: false },
      FIELDS,
    ),
    201: json('Registered', RegistrationView, REGISTRATION_EXAMPLE, FIELDS),
  },
};

type RouteInput = RegistrarInput & {
  readonly listSeal: ListSeal;
  readonly bodyLimitBytes: number;
  readonly log: Logger;
  readonly metrics: Metrics;
};

/** Reads a body as it arrives, after the headers were looked at. Throws `Problem`. */
async function receive(request: FastifyRequest, payload: Readable, reading: Reading): Promise<ReceivedBody> {
  try {
    const encoding = request.headers['content-encoding'] ?? 'identity';
    if (encoding !== 'identity') {
      throw new Problem('unsupported-media-type', 'Send the body as it is: no Content-Encoding is taken.');
    }
    idempotencyKey(request.headers['idempotency-key']);
    if (Number(request.headers['content-length']) > mostSent(reading)) throw bodyTooLarge(reading.limitBytes);
    return await readBody(payload, reading);
  } catch (error) {
    await letBy(payload, reading.time);
    throw error;
  }
}

/**
 * Lets the rest of a body that is refused go by, for a moment: many callers listen only when they have sent everything, and an answer with
 * which the connection ends is lost to whoever still sends.
 */
function letBy(payload: Readable, time: Reading['time']): Promise<void> {
  payload.resume();
  return new Promise((resolve) => {
    const timer = time.after(LET_BY_MS, resolve);
    finished(payload, () => {
      timer.cancel();
      resolve();
    });
  });
}

/** Milliseconds for which a refusal waits for the rest of its body. */
const LET_BY_MS = 2_000;

/** Refusals that come after the ledger has shown a schedule at the address. */
const ABOUT_A_SCHEDULE: ReadonlySet<ProblemCode> = new Set([
  'list-conflict',
  'count-mismatch',
  'total-mismatch',
  'mint-mismatch',
  'proof-mismatch',
  'root-mismatch',
  'root-replaced',
]);

/** POST /api/schedules */
export function registerScheduleRoute(app: Api, input: RouteInput): void {
  const { bodyLimitBytes, listSeal, time, log, metrics } = input;
  // A scope of its own: no other route reads its body like this.
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('application/json', (request: FastifyRequest, payload: Readable) =>
      receive(request, payload, { limitBytes: bodyLimitBytes, time }),
    );
    scope.addContentTypeParser(JOSE, (request: FastifyRequest, payload: Readable) =>
      receive(request, payload, { limitBytes: bodyLimitBytes, time, open: (pieces) => listSeal.open(pieces) }),
    );
    scope.addHook('onError', async (request, _, error) => {
      const { code, status } = problemOf(error);
      // What the limits refuse never began.
      if (status === 429) return;
      metrics.registrations.inc({ outcome: code });
      // What a caller has merely written may be anybody's address, a recipient's among them.
      const schedule = ABOUT_A_SCHEDULE.has(code) ? received(request)?.schedulePda : undefined;
      log.info({ schedule, code }, 'registration rejected');
    });
    (scope as Api).post(
      '/api/schedules',
      {
        schema,
        // The schema is for the document: the body was checked while it arrived, and is something else now.
        validatorCompiler: () => () => true,
        bodyLimit: bodyLimitBytes,
        config: { limit: 'registration' },
      },
      async (request, reply) => {
        const body = received(request);
        if (body === undefined) throw new Problem('unsupported-media-type', 'Send the body as application/json.');
        const { schedulePda, mint, list } = body;
        const { root, status, isReplay } = await register(input, {
          address: schedulePda,
          mint,
          list,
          idempotencyKey: idempotencyKey(request.headers['idempotency-key']),
        });
        const created = status === 201;
        const recipients = list.records.count;
        metrics.registrations.inc({ outcome: created ? 'created' : 'repeated' });
        log.info({ schedule: schedulePda, recipientCount: recipients, created }, 'registration accepted');
        if (isReplay) reply.header('idempotency-replayed', 'true');
        reply.status(status);
        return { schedulePda, root, recipients, created };
      },
    );
  });
}

/** The body as `receive` left it; undefined if there was none. */
const received = (request: { readonly body: unknown }): ReceivedBody | undefined =>
  (request.body as ReceivedBody | null | undefined) ?? undefined;
