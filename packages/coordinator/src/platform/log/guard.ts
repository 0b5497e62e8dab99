import { errorFields } from './errorFields.ts';
import type { Logger } from './log.ts';
import { placeOf } from './place.ts';

const CONSOLE = ['log', 'info', 'debug', 'trace', 'warn', 'error', 'dir', 'table'] as const;

/**
 * Closes the ways around the log: what libraries and Node itself would print with texts of their own is logged without them, and an
 * error that nobody caught ends the process after its kind and place were said. From here on nothing else writes to the outputs.
 */
export function guardOutput(log: Logger): void {
  for (const method of CONSOLE) {
    console[method] = () => {
      log.debug({ component: 'console', place: placeOf(new Error('printed')) }, 'a library printed something');
    };
  }
  // Node prints warnings by a listener of its own.
  process.removeAllListeners('warning');
  process.on('warning', (warning) => log.warn({ component: 'node', ...errorFields(warning) }, 'a warning'));
  const end = (error: unknown) => {
    log.fatal(errorFields(error), 'an error that nobody caught; the process ends');
    process.exit(1);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}
