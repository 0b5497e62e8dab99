/**
 * What an error asks for: `retryable` passes by itself, `operator` needs somebody to mend something (the run is held and looked
 * at again), `permanent` won't pass.
 */
export type ErrorClass = 'retryable' | 'operator' | 'permanent';

/** Stable codes of what can go wrong with a run. They stand in the API and in logs. */
export const RUN_ERRORS = {
  'ledger-unavailable': 'retryable',
  'layer-unavailable': 'retryable',
  'transaction-refused': 'retryable',
  'transaction-expired': 'retryable',
  'batch-not-visible': 'retryable',
  'batch-not-back': 'retryable',
  'not-final': 'retryable',
  'not-due': 'retryable',
  'batch-not-complete': 'retryable',
  'claims-refused': 'retryable',
  'owed-stale': 'retryable',
  'owed-mismatch': 'retryable',
  'key-service-unavailable': 'retryable',
  'internal-error': 'retryable',
  'funding-short': 'operator',
  'authority-balance-low': 'operator',
  'authority-mismatch': 'operator',
  'schedule-paused': 'operator',
  'list-missing': 'operator',
  'list-unreadable': 'operator',
  'owed-unreadable': 'operator',
  'layer-state-lost': 'operator',
  'layer-lost': 'operator',
  'schedule-missing': 'permanent',
  'window-mismatch': 'permanent',
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

/** Any thrown value as a run's error; what is unknown is retried, and its text stays out of the record. */
export function toRunError(thrown: unknown): RunError {
  if (thrown instanceof RunError) return thrown;
  const kind = thrown instanceof Error ? thrown.name : typeof thrown;
  return new RunError('internal-error', `An unexpected error of kind ${kind}.`, { cause: thrown });
}
