import { ANY, type Define } from './define.ts';

/** Seconds: from an answer out of memory to a registration of 80,000 recipients. */
const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** What became of a request where it was limited; `open`: let pass because the store of a read's limit was gone. */
export const LIMIT_OUTCOMES = ['allowed', 'limited', 'would-limit', 'open'] as const;
export type LimitOutcome = (typeof LIMIT_OUTCOMES)[number];
/** What happened to the limiter's store. */
const LIMIT_BACKEND_EVENTS = ['connected', 'disconnected', 'memory-fallback', 'recovered'] as const;
export type LimitBackendEvent = (typeof LIMIT_BACKEND_EVENTS)[number];
/** Why a connection was ended at once. */
const REFUSED_CONNECTIONS = ['gone', 'open', 'opened'] as const;

/** Of the API. */
export const httpMetrics = (define: Define) => ({
  requests: define.counter(
    'api_requests_total',
    'Requests by status, or aborted when the client went away first; routes are templates, unmatched if there is none',
    { method: ANY, route: ANY, status: ANY },
  ),
  requestSeconds: define.histogram(
    'api_request_duration_seconds',
    'Time from a request to the end of its answer',
    { method: ANY, route: ANY },
    REQUEST_SECONDS,
  ),
  registrations: define.counter(
    'registrations_total',
    'Registrations by outcome: created, repeated, or the code of the refusal',
    { outcome: ['created', 'repeated'] },
  ),
  rateLimits: define.counter('api_rate_limit_decisions_total', 'What the rate limit decided', {
    route: ANY,
    outcome: ANY,
  }),
  concurrencyLimits: define.counter(
    'api_concurrency_limit_decisions_total',
    'What the limit of requests at a time decided',
    { route: ANY, outcome: ANY },
  ),
  limitBackend: define.counter(
    'api_rate_limit_backend_events_total',
    "What happened to the limiter's store; memory-fallback: a decision was taken in memory because the store was gone",
    { event: LIMIT_BACKEND_EVENTS },
  ),
  connectionsRefused: define.counter(
    'api_connections_refused_total',
    'Connections that were ended at once; gone: reset while it waited; open, opened: its client had its share of those that are open, or had opened as many in ten seconds',
    { reason: REFUSED_CONNECTIONS },
  ),
  eventStreams: define.gauge('event_streams', 'Streams of events that are open in this process'),
});
