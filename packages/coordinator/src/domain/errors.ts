/**
 * What an error asks for; how each class is retried stands in backoff.ts.
 * - `unreachable`: a ledger, the key service or the database is gone; it comes back by itself, maybe only in hours
 * - `timing`: something is under way and not there yet; it comes soon
 * - `refused`: a try was made and failed; another one may get through, many won't
 * - `operator`: somebody must fix something; the run is held and looked at again
 * - `permanent`: it won't pass
 */
export const ERROR_CLASSES = ['unreachable', 'timing', 'refused', 'operator', 'permanent'] as const;
export type ErrorClass = (typeof ERROR_CLASSES)[number];

/** Stable codes of what can go wrong with a run. They stand in the API and in logs. */
export const RUN_ERRORS = {
  'ledger-unavailable': 'unreachable',
  'layer-unavailable': 'unreachable',
  'key-service-unavailable': 'unreachable',
  'database-unavailable': 'unreachable',
  'batch-not-visible': 'timing',
  'batch-not-back': 'timing',
  'not-due': 'timing',
  'window-mismatch': 'timing',
  'batch-not-complete': 'timing',
  'liabilities-stale': 'timing',
  'places-taken': 'timing',
  'transaction-refused': 'refused',
  'transaction-expired': 'refused',
  'claims-refused': 'refused',
  'liabilities-mismatch': 'refused',
  'internal-error': 'refused',
  'funding-short': 'operator',
  'authority-balance-low': 'operator',
  'authority-mismatch': 'operator',
  'ledger-unsupported': 'operator',
  'schedule-paused': 'operator',
  'list-missing': 'operator',
  'list-unreadable': 'operator',
  'liabilities-unreadable': 'operator',
  'layer-state-lost': 'operator',
  'layer-lost': 'operator',
  'layer-untrusted': 'operator',
  'layer-sign-in-refused': 'operator',
  'validator-mismatch': 'operator',
  'layer-full': 'operator',
  'token-stopped': 'operator',
  'schedule-missing': 'operator',
  'batch-out-of-bounds': 'permanent',
  'money-rule-broken': 'permanent',
} as const satisfies Record<string, ErrorClass>;

export type RunErrorCode = keyof typeof RUN_ERRORS;

/** A run's error. The message is public: it names no recipient, amount of a recipient, proof or salt. */
export class RunError extends Error {
  override readonly name = 'RunError';
  readonly code: RunErrorCode;
  readonly errorClass: ErrorClass;

  constructor(code: RunErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.errorClass = RUN_ERRORS[code];
  }
}

/** Whether the base ledger's node does not offer what was asked of it. */
export const isUnsupported = (error: unknown): boolean =>
  error instanceof RunError && error.code === 'ledger-unsupported';

/** Not an error: the stage is to be tried again at `until` (unix milliseconds), because time has to pass. */
export class Waiting extends Error {
  override readonly name = 'Waiting';
  readonly until: number;

  constructor(until: number, message: string) {
    super(message);
    this.until = until;
  }
}

/** Not an error: the schedule was cancelled before this window opened. */
export class RunCancelled extends Error {
  override readonly name = 'RunCancelled';
}

/** The class of a code as it was recorded; a code that this version does not know counts as refused. */
export const classOf = (code: string): ErrorClass =>
  Object.hasOwn(RUN_ERRORS, code) ? RUN_ERRORS[code as RunErrorCode] : 'refused';

/** Whether what was thrown says that whoever was called is gone. */
export const isUnreachable = (thrown: unknown): boolean =>
  thrown instanceof RunError && thrown.errorClass === 'unreachable';

/** Catches what a call throws whose answer can be done without, if whoever was called is gone. Throws everything else. */
export function unlessUnreachable(thrown: unknown): undefined {
  if (!isUnreachable(thrown)) throw thrown;
}

/** Any thrown value as a run's error; what is unknown counts as refused, and its text stays out of the record. */
export function toRunError(thrown: unknown): RunError {
  if (thrown instanceof RunError) return thrown;
  const kind = thrown instanceof Error ? thrown.name : typeof thrown;
  return new RunError('internal-error', `An unexpected error of kind ${kind}.`, { cause: thrown });
}
