import type { Time } from '@payouts/client';
import { type Logger as Pino, pino } from 'pino';
import pretty from 'pino-pretty';
import { type LogFields, PRIVATE, publicText, writableFields } from './fields.ts';

/**
 * A message is written out in the source: text that is put together at run time is a type error. A type of many texts, be it any
 * text or a template's, makes a record that may be empty; a single text makes one that must have it.
 */
type Literal<Text extends string> = Record<never, never> extends Record<Text, 1> ? never : Text;

type Write = {
  <Text extends string>(message: Literal<Text>): void;
  <Text extends string>(fields: LogFields, message: Literal<Text>): void;
};

/** The service's log. It can hold the fields of `LogFields` and constant messages, and so nothing private. */
export interface Logger {
  readonly trace: Write;
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
  readonly fatal: Write;
  /** A log whose every line has these fields. */
  child(fields: LogFields): Logger;
}

/** The log's settings; `to` takes the lines, standard output by default. */
export type LogSettings = {
  readonly level: string;
  readonly pretty: boolean;
  readonly time: Pick<Time, 'now'>;
  readonly to?: { write(line: string): void };
};

/**
 * JSON lines, or coloured text for people. Written through `process.stdout`, not pino's own writer: that one repeats a write for
 * ever at exit when whoever read the output has gone.
 */
export function createLogger({ level, pretty: isPretty, time, to = process.stdout }: LogSettings): Logger {
  const timestamp = () => `,"time":${time.now()}`;
  const options = { level, base: { service: 'coordinator' }, timestamp };
  if (!isPretty) return over(pino(options, to));
  const people = { ignore: 'pid,hostname,service', translateTime: 'SYS:HH:MM:ss.l' };
  return over(pino(options, pretty({ ...people, destination: to as NodeJS.WritableStream })));
}

/** Messages are constant by their type; one that came by a cast is cleaned like any text. */
const publicMessage = (message: unknown): string => (typeof message === 'string' ? publicText(message) : PRIVATE);

function over(backend: Pino): Logger {
  const write =
    (level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'): Write =>
    (first: LogFields | string, message?: string) => {
      if (!backend.isLevelEnabled(level)) return;
      if (typeof first === 'string') backend[level](publicMessage(first));
      else backend[level](writableFields(first), publicMessage(message));
    };
  return {
    trace: write('trace'),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    fatal: write('fatal'),
    child: (fields) => over(backend.child(writableFields(fields))),
  };
}
