/** SQLSTATE of a server that can't serve now: connection, resources, a time limit, stopping, starting, its disk, only a standby. */
const SERVER_GONE = /^(08...|53...|57014|57P0[1-5]|58...|25006)$/;
/** Node's codes of a server that can't be reached. */
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** What the drivers say without a code. */
const SAID = [
  /^Connection terminated/,
  /^timeout exceeded when trying to connect/,
  /^Query read timeout/,
  /^timeout expired/,
  /^Client (has encountered a connection error|was closed)/,
  /^Cannot use a pool after calling end/,
  /^PGlite is (closed|closing)/,
];

/** Whether an error says that the database is unavailable (PostgreSQL is gone, full or starting), rather than that a query is wrong. */
export function isDatabaseOutage(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isDatabaseOutage);
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code === 'string' && (UNREACHABLE.has(code) || SERVER_GONE.test(code))) return true;
  if (SAID.some((said) => said.test(error.message))) return true;
  return error.cause !== undefined && isDatabaseOutage(error.cause);
}

/** Whether something was to be kept under a data key that was renewed meanwhile: done again, it is kept under the new one. */
export const isKeyRenewed = (error: unknown): boolean => (error as NodeJS.ErrnoException | null)?.code === 'PK001';
