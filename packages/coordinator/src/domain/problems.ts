/** Every error that the API answers: stable code → HTTP status and title (RFC 9457). */
export const PROBLEMS = {
  'malformed-request': { status: 400, title: 'The request is not well-formed HTTP' },
  'invalid-json': { status: 400, title: 'The body is not JSON' },
  'sealed-unreadable': { status: 400, title: 'The sealed body does not open' },
  'invalid-body': { status: 400, title: 'The body does not have the expected shape' },
  'invalid-address': { status: 400, title: 'The schedule address is malformed' },
  'invalid-window': { status: 400, title: 'The number of the window is malformed' },
  'invalid-event-id': { status: 400, title: 'The Last-Event-ID is malformed' },
  'invalid-query': { status: 400, title: 'A query parameter is malformed' },
  'unsupported-media-type': { status: 415, title: 'The body must be application/json' },
  'body-too-large': { status: 413, title: 'The body is larger than this server takes' },
  'idempotency-key-invalid': { status: 400, title: 'The Idempotency-Key is malformed' },
  'signature-missing': { status: 401, title: 'This resource is private: sign the request' },
  'signature-invalid': { status: 401, title: 'The signature of the request does not verify' },
  'signature-expired': { status: 401, title: 'The signature of the request is too old or from the future' },
  'signature-replayed': { status: 401, title: 'This signed request was sent before' },
  'delegation-invalid': { status: 401, title: 'The sign-in of the wallet does not hold for this request' },
  'not-permitted': { status: 403, title: 'The signing key has no right to this resource' },
  'metrics-forbidden': { status: 403, title: 'The metrics need the operator’s token' },
  'list-not-found': { status: 404, title: 'The list of the current root is not registered' },
  'recipient-not-found': { status: 404, title: 'The schedule has no such recipient' },
  'grant-not-found': { status: 404, title: 'The schedule has no such grant' },
  'webhook-not-found': { status: 404, title: 'The schedule has no such webhook' },
  'notice-not-found': { status: 404, title: 'You have no such notice' },
  'invitation-not-found': { status: 404, title: 'There is no such invitation' },
  'address-change-not-found': { status: 404, title: 'There is no such request for another address' },
  'payslip-not-found': { status: 404, title: 'There is no payslip of this window' },
  'method-not-allowed': { status: 405, title: 'This path does not take this method' },
  'request-timeout': { status: 408, title: 'The request did not arrive in time' },
  'not-found': { status: 404, title: 'There is nothing at this path' },
  'run-not-found': { status: 404, title: 'There is no run of this window' },
  'schedule-not-found': { status: 404, title: 'There is no such schedule' },
  'run-not-stopped': { status: 409, title: 'The run has nothing to go on with' },
  'list-replaced': { status: 409, title: 'The list was replaced while it was read' },
  'list-conflict': { status: 409, title: 'Another list is registered for this schedule and root' },
  'expectation-failed': { status: 417, title: 'The request expects something that is not known' },
  'public-origins-unset': { status: 421, title: 'This server does not say where it is addressed' },
  'public-origins-mismatch': { status: 421, title: 'The request is for another origin' },
  'invalid-recipient': { status: 422, title: 'An entry of the list is invalid' },
  'count-mismatch': { status: 422, title: 'The list has another number of recipients than the ledger says' },
  'total-mismatch': { status: 422, title: 'The list adds up to another amount than the ledger says' },
  'mint-mismatch': { status: 422, title: 'The list is for another token than the schedule pays in' },
  'proof-mismatch': { status: 422, title: 'A proof of the list does not verify' },
  'idempotency-key-reused': { status: 422, title: 'The Idempotency-Key was used for another list' },
  'root-replaced': { status: 422, title: 'The list belongs to a root that the ledger has replaced' },
  'root-mismatch': { status: 422, title: 'The list does not rebuild the root on the ledger' },
  'invalid-transaction': { status: 422, title: 'The transaction is not one that is passed on' },
  'transaction-refused': { status: 409, title: 'A ledger has refused the transaction' },
  'transaction-expired': { status: 409, title: 'The transaction was signed too long ago' },
  'no-room-yet': { status: 409, title: 'There is no room for this before the next window' },
  'invalid-grant': { status: 422, title: 'The grant cannot be given' },
  'invalid-webhook': { status: 422, title: 'The webhook cannot be registered' },
  'webhook-disabled': { status: 409, title: 'The webhook is disabled' },
  'invalid-notice': { status: 422, title: 'The notice cannot be added' },
  'invalid-invitation': { status: 422, title: 'The invitations cannot be kept' },
  'invitation-answered': { status: 409, title: 'The invitation was answered with as many addresses as it takes' },
  'invalid-address-change': { status: 422, title: 'The request for another address does not hold' },
  'mail-off': { status: 422, title: 'This service sends no e-mail' },
  'wrong-code': { status: 422, title: 'The code is wrong, or too old' },
  'relay-off': { status: 404, title: 'This service pays no fees of transfers' },
  'rate-limited': { status: 429, title: 'Too many requests in too short a time' },
  'concurrency-limited': { status: 429, title: 'Too many of these at a time' },
  'streams-limited': { status: 429, title: 'Too many streams of events at a time' },
  'notices-limited': { status: 429, title: 'Too many codes were sent in too short a time' },
  'headers-too-large': { status: 431, title: 'The headers are larger than this server takes' },
  'service-stopping': { status: 503, title: 'The service is stopping' },
  'ledger-unavailable': { status: 503, title: 'The ledger cannot be read now' },
  'layer-unavailable': { status: 503, title: 'The execution layer cannot be read now' },
  'relay-empty': { status: 503, title: 'The relay has no SOL now' },
  'transaction-unanswered': { status: 503, title: 'Whether the transaction was executed is not known yet' },
  'key-service-unavailable': { status: 503, title: 'The key service cannot be reached now' },
  'database-unavailable': { status: 503, title: 'The database cannot be reached now' },
  'internal-error': { status: 500, title: 'Something went wrong here' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

/** An answer that is an error. `detail` and `extra` are public: they name no recipient, amount, proof or salt. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly extra: Readonly<Record<string, string | number>>;

  constructor(code: ProblemCode, detail: string, extra: Readonly<Record<string, string | number>> = {}) {
    super(detail);
    this.code = code;
    this.extra = extra;
  }

  get status(): number {
    return PROBLEMS[this.code].status;
  }
}

/** The body of an `application/problem+json` answer. */
export function problemBody(problem: Problem): Record<string, string | number> {
  const { status, title } = PROBLEMS[problem.code];
  return {
    type: `urn:payouts:problem:${problem.code}`,
    title,
    status,
    code: problem.code,
    detail: problem.message,
    ...problem.extra,
  };
}
