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

/**
 * JSON lines, or coloured text for people. Written through `process.stdout`, not pino's own writer: that one repeats a write for
 * ever at exit when whoever read the output has gone.
 */
export function createLogger(settings: { readonly level: string; readonly pretty: boolean }): Logger {
  const options = {
    level: settings.level,
    base: { service: 'coordinator' },
    redact: { paths: PRIVATE.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[private]' },
  };
  if (!settings.pretty) return pino(options, process.stdout);
  return pino(
    options,
    pretty({ destination: process.stdout, ignore: 'pid,hostname,service', translateTime: 'SYS:HH:MM:ss.l' }),
  );
}
