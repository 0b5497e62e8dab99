/** What went wrong in this package, for programs; the sentence in `message` is for people. */
export type ClientErrorCode =
  | 'INVALID_ADDRESS'
  | 'INVALID_LEAF'
  | 'INVALID_LEAF_COUNT'
  | 'INVALID_RANGE'
  | 'INVALID_LIST'
  | 'INVALID_BITMAP'
  | 'INVALID_CALENDAR'
  | 'INVALID_DELEGATION'
  | 'INVALID_INVITATION'
  | 'INVALID_PAYMENT_CODE'
  | 'INVALID_PAYSLIP'
  | 'INVALID_PLAN'
  | 'INVALID_RECEIPT'
  | 'INVALID_RELEASE_TIME'
  | 'INVALID_WEBHOOK'
  | 'NO_ADDRESS'
  | 'TRANSACTION_TOO_LARGE'
  | 'SIGNATURE_MISSING'
  | 'SIGNATURES_DIFFER';

/** The error that every function of this package throws on its own account. Messages never name a recipient or an amount. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly code: ClientErrorCode;

  constructor(code: ClientErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options);
    this.code = code;
  }
}
