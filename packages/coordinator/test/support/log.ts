import { systemTime, type Time } from '@payouts/client';
import { createLogger } from '../../src/platform/log/log.ts';

/** A log that writes nothing. */
export const silentLog = createLogger({ level: 'silent', pretty: false, time: systemTime });

/** A log of every level, and what it has written. */
export function keptLog(time: Pick<Time, 'now'> = systemTime) {
  let text = '';
  const write = (line: string) => {
    text += line;
  };
  const logged = () => text;
  const lines = (): Record<string, unknown>[] =>
    text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  return { log: createLogger({ level: 'trace', pretty: false, time, to: { write } }), logged, lines };
}
