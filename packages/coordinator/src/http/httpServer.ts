import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { isAddressText } from '@payouts/client';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type RawServerDefault } from 'fastify';
import { answerClientError } from './clientErrors.ts';
import { answerUnrouted } from './errors.ts';
import { type SocketSharesInput, shareSockets } from './limits/socketShares.ts';
import { proxyTest, requestNamer } from './plugins/requestIds.ts';
import { countRequest, countUnreadable } from './plugins/requestMetrics.ts';
import { ADDRESS_FORMAT } from './schemaParts.ts';
import { buildSerializer } from './serializers.ts';

/** The server as routes see it: their schemas type them. */
export type Api = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** Input of `httpServer`. */
export type HttpInput = SocketSharesInput & {
  /** Addresses or networks whose X-Forwarded-… headers are believed. */
  readonly trustedProxies: readonly string[];
  /** Milliseconds that a request may take to arrive. */
  readonly requestTimeoutMs: number;
  /** Milliseconds that a connection may be without a byte in either direction; by default as long, but longer than any answer takes. */
  readonly idleTimeoutMs?: number;
};

/** Bodies other than registrations are small. */
const SMALL_BODY_BYTES = 64 * 1_024;
/** Request line and headers together, in bytes: a signed request takes about one thousand. */
const HEADERS_BYTES = 16 * 1_024;
/** Milliseconds in which the headers of a request arrive: they are one packet or two. */
const HEADERS_WITHIN_MS = 10_000;
/** Milliseconds in which every answer begins: a registration waits for the ledger for 20 s at most. */
const ANSWER_WITHIN_MS = 30_000;
/** Milliseconds between two looks for requests that take too long. */
const LOOK_EVERY_MS = 1_000;
/** Milliseconds that a connection without a request is kept; longer than proxies keep theirs, or they send into a closed one. */
const KEEP_ALIVE_MS = 72_000;
/** So that a client behind a balancer comes to a new instance some time. */
const REQUESTS_A_CONNECTION = 10_000;
const CONNECTIONS = 5_000;
const FORMATS = { [ADDRESS_FORMAT]: isAddressText };

/** A server without routes, with a limit on everything that a client can make long, many or slow. */
export function httpServer(input: HttpInput): Api {
  const { requestTimeoutMs, idleTimeoutMs, trustedProxies, metrics, time } = input;
  const app: Api = Fastify({
    bodyLimit: SMALL_BODY_BYTES,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: idleTimeoutMs ?? Math.max(requestTimeoutMs, ANSWER_WITHIN_MS),
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxRequestsPerSocket: REQUESTS_A_CONNECTION,
    http: {
      headersTimeout: Math.min(HEADERS_WITHIN_MS, requestTimeoutMs),
      connectionsCheckingInterval: LOOK_EVERY_MS,
      maxHeaderSize: HEADERS_BYTES,
      // Said by `refuseMalformedHeads`, as a problem.
      requireHostHeader: false,
    },
    // Each route says what is wrong with a part of its path, however long; the request line is bounded above.
    routerOptions: { maxParamLength: HEADERS_BYTES },
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    genReqId: requestNamer(trustedProxies),
    clientErrorHandler: (error, socket) => {
      const status = answerClientError(error, socket, time);
      if (status !== undefined) countUnreadable(metrics, status);
    },
    frameworkErrors: (error, request, reply) => {
      countRequest({ metrics, time }, request, reply);
      answerUnrouted(error, request, reply);
    },
    // Said by `refuseWhileDraining`, as a problem.
    return503OnClosing: false,
    // Requests are not logged one by one: their bodies are private, and what comes of them is logged where it is decided.
    logger: false,
    // What a caller sends is taken as it is: no text becomes a number, no unknown field is dropped in silence.
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        formats: FORMATS,
      },
    },
    schemaController: { compilersFactory: { buildSerializer } },
    serializerOpts: { ajv: { formats: FORMATS } },
  }).withTypeProvider<TypeBoxTypeProvider>();
  app.server.maxConnections = CONNECTIONS;
  // What Node would answer itself, without a code.
  app.server.on('checkExpectation', (request, response) => app.routing(request, response));
  shareSockets(app.server, input, proxyTest(trustedProxies));
  return app;
}
