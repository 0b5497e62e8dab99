import { isAddressText, isProgramErrorName } from '@payouts/client';
import { isPlace } from './place.ts';

/**
 * How a field's value may look; anything else is replaced before it is written. The kinds are narrow on purpose: no recipient's
 * amount, salt, proof or key has the form of any of them.
 * - `number`: a whole number below a million: counts, tries, statuses
 * - `ordinal`: what a ledger counts up, such as a withdrawal's number
 * - `milliseconds`, `time`: a duration, and unix milliseconds
 * - `word`: a name or a code of our own, or of an error
 * - `address`, `run`: of an account that is public on the base ledger, and of one of its windows
 * - `route`: a route's template; `place`: a line of the source; `url`: scheme, host and port
 * - `text`: a sentence of our own
 */
type Kind =
  | 'number'
  | 'ordinal'
  | 'milliseconds'
  | 'time'
  | 'boolean'
  | 'word'
  | 'migrations'
  | 'uuid'
  | 'address'
  | 'run'
  | 'text'
  | 'url'
  | 'route'
  | 'place';

/**
 * Every field that a log line may have, with the kind of its value. A field that does not stand here can't be logged: not by the
 * types, and not by a cast either. None is private; `address` is for accounts that are public on the base ledger anyway.
 */
export const LOG_FIELDS = {
  schedule: 'address',
  mint: 'address',
  program: 'address',
  authority: 'address',
  operator: 'address',
  relay: 'address',
  run: 'run',
  stage: 'word',
  attempt: 'number',
  code: 'word',
  class: 'word',
  state: 'word',
  was: 'word',
  engineState: 'word',
  outcome: 'word',
  event: 'word',
  kind: 'word',
  loop: 'word',
  method: 'word',
  route: 'route',
  request: 'uuid',
  grant: 'uuid',
  webhook: 'uuid',
  status: 'number',
  created: 'boolean',
  recipientCount: 'number',
  milliseconds: 'milliseconds',
  waitMs: 'milliseconds',
  retryAfterSeconds: 'number',
  until: 'time',
  failures: 'number',
  times: 'number',
  count: 'number',
  looksDue: 'number',
  readAgain: 'number',
  leaves: 'number',
  sequence: 'ordinal',
  number: 'ordinal',
  database: 'word',
  migrations: 'migrations',
  setting: 'word',
  url: 'url',
  error: 'word',
  cause: 'word',
  place: 'place',
  reason: 'text',
  detail: 'text',
  component: 'word',
} as const satisfies Record<string, Kind>;

type ValueOf<K extends Kind> = K extends 'number' | 'milliseconds' | 'time'
  ? number
  : K extends 'ordinal'
    ? bigint
    : K extends 'boolean'
      ? boolean
      : K extends 'migrations'
        ? readonly string[]
        : string;

/** The fields of a log line. */
export type LogFields = {
  readonly [Name in keyof typeof LOG_FIELDS]?: ValueOf<(typeof LOG_FIELDS)[Name]> | undefined;
};

/** Stands where a value was not what its field may hold. */
export const PRIVATE = '[private]';
/** The field that stands for all that are not listed: their names could be private as well. */
const UNLISTED = 'unlisted';

/** `NextWord`s, any number of them. */
const WORDS = '(?:[A-Z][a-z]{2,14})*';
/** Words joined by capitals, one of them short for more. */
const JOINED = `[a-z]{0,15}${WORDS}(?:[A-Z]{2,4}(?![a-z]))?${WORDS}`;
const separated = (part: string) => `${part}(?:[_-]${part}){0,5}`;
/**
 * Words of a language, in one case. Encoded bytes mix cases and digits, or are longer; one in some thousand salts looks like words joined by
 * capitals, so of those a long one must be named as errors and ledger calls are.
 */
const WORD = new RegExp(
  `^(?=[A-Za-z].{0,30}$)(?:${separated('[a-z]{1,16}\\d{0,3}')}|${separated('[A-Z]{1,16}\\d{0,3}')}|(?=.{1,19}$|get|.+Error$)${JOINED}\\d{0,3})$`,
);
const MIGRATION = /^\d{4}_[a-z_]{1,25}$/;
const WINDOW = /^[0-9]{1,9}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const ROUTE = /^(unmatched|(\/[a-zA-Z:*._-]{0,24}){1,8})$/;
const MILLION = 1_000_000;
const MOST_ORDINAL = 999_999_999;
const DAY_MS = 86_400_000;
/** Unix milliseconds from 2001 to 2100. */
const FIRST_TIME = 978_307_200_000;
const LAST_TIME = 4_102_444_800_000;
const LONGEST_TEXT = 500;
const MOST_MIGRATIONS = 50;

/** Who stands before a host: `user:password@`. */
const CREDENTIALS = /\/\/[^/@\s]*@/g;
/** Bytes as a list, and numbers as long as amounts are: five digits and more, with whatever separates them. */
const DIGITS = /\d(?:[\d_,.;:'"\s]*\d){4,}/g;
/** What could be an address, a signature, a salt, a hash, a key or a proof: words of a language are shorter, in one case and without digits. */
const OPAQUE = /[0-9A-Za-z+/_-]{22,}={0,2}|(?=[A-Za-z+/_-]*(?:\d|[a-z][A-Z]))[0-9A-Za-z+/_-]{12,}={0,2}/g;

const unlessNamed = (word: string): string => (isProgramErrorName(word) ? word : '…');

/** Text of our own with everything taken out that could be private. */
export function publicText(text: string): string {
  const short = text.slice(0, LONGEST_TEXT).replaceAll(CREDENTIALS, '//…@');
  return short.replaceAll(OPAQUE, unlessNamed).replaceAll(DIGITS, '…');
}

/** An address' scheme, host and port: users, paths and queries are where services carry their keys. */
export function publicUrl(text: string): string {
  try {
    const { protocol, host } = new URL(text);
    return `${protocol}//${host}`;
  } catch {
    return PRIVATE;
  }
}

/** Whether a text is a name or a code, and too short for anything private. */
export const isWord = (value: unknown): value is string => typeof value === 'string' && WORD.test(value);

const whole = (value: unknown, least: number, most: number) =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most ? value : PRIVATE;

function isRun(value: string): boolean {
  const [schedule = '', window = '', ...more] = value.split(':');
  return more.length === 0 && isAddressText(schedule) && WINDOW.test(window);
}

const text = (fits: (value: string) => boolean) => (value: unknown) =>
  typeof value === 'string' && fits(value) ? value : PRIVATE;

const WRITERS: Record<Kind, (value: unknown) => unknown> = {
  number: (value) => whole(value, 0, MILLION),
  ordinal: (value) => (typeof value === 'bigint' ? whole(Number(value), 0, MOST_ORDINAL) : PRIVATE),
  milliseconds: (value) => whole(typeof value === 'number' ? Math.round(value) : value, 0, DAY_MS),
  time: (value) => whole(typeof value === 'number' ? Math.round(value) : value, FIRST_TIME, LAST_TIME),
  boolean: (value) => (typeof value === 'boolean' ? value : PRIVATE),
  word: text(isWord),
  migrations: (value) =>
    Array.isArray(value) ? value.slice(0, MOST_MIGRATIONS).map(text((one) => MIGRATION.test(one))) : PRIVATE,
  uuid: text((value) => UUID.test(value)),
  address: text((value) => isAddressText(value)),
  run: text(isRun),
  text: (value) => (typeof value === 'string' ? publicText(value) : PRIVATE),
  url: (value) => (typeof value === 'string' ? publicUrl(value) : PRIVATE),
  route: text((value) => ROUTE.test(value)),
  place: text(isPlace),
};

/** The fields as they are written. One that is not listed, or holds what it may not, says so and nothing more. Never throws. */
export function writableFields(fields: unknown): Record<string, unknown> {
  const written: Record<string, unknown> = {};
  try {
    for (const [name, value] of Object.entries(fields as Readonly<Record<string, unknown>>)) {
      if (value === undefined) continue;
      if (Object.hasOwn(LOG_FIELDS, name)) written[name] = WRITERS[LOG_FIELDS[name as keyof LogFields]](value);
      else written[UNLISTED] = PRIVATE;
    }
  } catch {
    // No object, or one that throws when it is read.
    written[UNLISTED] = PRIVATE;
  }
  return written;
}
