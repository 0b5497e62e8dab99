import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

export type { Logger };

/** Names under which private things could reach a log by mistake. Nothing passes them; this is the second lock. */
const PRIVATE = [
  'recipient',
  'recipients',
  'amount',
  'salt',
  'proof',
  'balance',
  'wire',
  'key',
  'secretKey',
  'body',
  'authorization',
];

/** JSON lines, or coloured text for people. */
export function createLogger(settings: { readonly level: string; readonly pretty: boolean }): Logger {
  const options = {
    level: settings.level,
    base: { service: 'coordinator' },
    redact: { paths: PRIVATE.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[private]' },
  };
  if (!settings.pretty) return pino(options);
  return pino(options, pretty({ sync: true, ignore: 'pid,hostname,service', translateTime: 'SYS:HH:MM:ss.l' }));
}
