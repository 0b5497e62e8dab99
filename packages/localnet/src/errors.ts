/** Stable codes of everything that can go wrong while a localnet is started, used or stopped. */
export type LocalnetErrorCode =
  | 'PORT_TAKEN'
  | 'NO_FREE_PORT'
  | 'DIRECTORY_IN_USE'
  | 'JOURNAL_DAMAGED'
  | 'JOURNAL_WRITE_FAILED'
  | 'PROGRAM_UNREADABLE'
  | 'BASE_LEDGER_FAILED'
  | 'BASE_LEDGER_TIMEOUT'
  | 'ADMIN_CALL_FAILED'
  | 'UNSUPPORTED_PLATFORM'
  | 'VALIDATOR_PACKAGE_MISSING'
  | 'RUNTIME_UNAVAILABLE'
  | 'RUNTIME_SETUP_FAILED'
  | 'LAYER_EXITED'
  | 'LAYER_TIMEOUT'
  | 'LAYER_RUNNING'
  | 'BAD_ARGUMENT';

/** An error whose message says what is wrong and what to do about it; programs switch on `code`. */
export class LocalnetError extends Error {
  override readonly name = 'LocalnetError';

  constructor(
    readonly code: LocalnetErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/** The text of anything thrown, for messages and logs. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
