import type { IncomingMessage, ServerResponse } from 'node:http';
import swagger from '@fastify/swagger';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger } from 'fastify';
import Fastify, { type FastifyInstance, type RawServerDefault } from 'fastify';
import type { Logger } from '../log/log.ts';
import type { Metrics } from '../metrics.ts';
import { answerErrors } from './errors.ts';
import type { RegistrarInput } from './registration.ts';
import { healthRoute } from './routes/health.ts';
import { listExecutionsRoute } from './routes/listExecutions.ts';
import { readScheduleRoute } from './routes/readSchedule.ts';
import { registerScheduleRoute } from './routes/registerSchedule.ts';

/** The server as routes see it: their schemas type them. */
export type Api = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export type ApiInput = RegistrarInput & {
  readonly bodyLimitBytes: number;
  readonly log: Logger;
  readonly metrics: Metrics;
};

/** Bodies other than registrations are small. */
const SMALL_BODY_BYTES = 64 * 1_024;
/** Milliseconds a request may take to arrive: 32 MB over a slow line. */
const REQUEST_WITHIN_MS = 120_000;

/** The HTTP API, not yet listening. */
export async function createApi(input: ApiInput): Promise<Api> {
  const { database, bodyLimitBytes, log } = input;
  const app: Api = Fastify({
    bodyLimit: SMALL_BODY_BYTES,
    requestTimeout: REQUEST_WITHIN_MS,
    // Requests are not logged one by one: their bodies are private, and what comes of them is logged where it is decided.
    logger: false,
    // What a caller sends is taken as it is: no text becomes a number, no unknown field is dropped in silence.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
  }).withTypeProvider<TypeBoxTypeProvider>();
  await app.register(swagger, {
    openapi: { openapi: '3.1.0', info: { title: 'Payout coordinator', version: '1' } },
  });
  answerErrors(app as unknown as FastifyInstance, log);
  await app.register(async (scope) => {
    const api = scope as Api;
    healthRoute(api, database);
    registerScheduleRoute(api, input, bodyLimitBytes, log);
    readScheduleRoute(api, database);
    listExecutionsRoute(api, database);
    api.get('/api/openapi.json', { schema: { hide: true } }, () => app.swagger());
  });
  return app;
}
