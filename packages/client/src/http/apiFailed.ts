/** The coordinator refused a request, or didn't answer. `code` is stable: that of its problem, or `unreachable`. */
export class ApiFailed extends Error {
  override readonly name = 'ApiFailed';
  readonly code: string;
  /** HTTP status; undefined: no answer. */
  readonly status: number | undefined;
  /** The program's error, where it refused a transaction. */
  readonly reason: string | undefined;

  constructor(message: string, about: { code: string; status?: number; reason?: string | undefined; cause?: unknown }) {
    super(message, { cause: about.cause });
    this.code = about.code;
    this.status = about.status;
    this.reason = about.reason;
  }
}
