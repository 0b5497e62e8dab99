import { Logger as EngineLogger } from 'graphile-worker';
import { errorFields } from '../../platform/log/errorFields.ts';
import type { Logger } from '../../platform/log/log.ts';

/** What went wrong inside the engine, without its words: it doesn't know what is private in them. What a run came to is logged where it happens. */
export function engineLogger(log: Logger): EngineLogger {
  const engine = log.child({ component: 'engine' });
  return new EngineLogger(() => (level, _message, meta) => {
    if (level === 'error') engine.debug(errorFields(meta?.error), 'engine');
  });
}
