import type { DLogger } from '@dbos-inc/dbos-sdk';
import type { Logger } from '../platform/log/log.ts';

/**
 * The engine's own words, kept quiet: what a run came to is logged where it happens. Errors' texts and stacks stay out, since the
 * engine doesn't know what is private in them.
 */
export function engineLogger(log: Logger): DLogger {
  const engine = log.child({ component: 'engine' });
  const firstLine = (entry: unknown) => ({
    detail: entry instanceof Error ? entry.name : (String(entry).split('\n')[0] ?? ''),
  });
  return {
    debug: () => {},
    info: (entry) => engine.trace(firstLine(entry), 'engine'),
    warn: (entry) => engine.debug(firstLine(entry), 'engine'),
    error: (entry) => engine.warn(firstLine(entry), 'engine'),
  };
}
