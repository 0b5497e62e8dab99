import type { Logger } from '../../src/platform/log/log.ts';

const nothing = () => {};

/** A log that keeps nothing. */
export const SILENT: Logger = {
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  fatal: nothing,
  child: () => SILENT,
};
