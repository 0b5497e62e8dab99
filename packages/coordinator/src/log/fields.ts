/** How a field's value may look; anything else is replaced before it is written. */
type Kind = 'number' | 'boolean' | 'word' | 'address' | 'run' | 'text' | 'url' | 'place' | 'words';

/**
 * Every field that a log line may have, with the kind of its value. A field that does not stand here can't be logged: not by the
 * types, and not by a cast either. None is private; `address` is for accounts that are public on the base ledger anyway.
 */
export const LOG_FIELDS = {
  schedule: 'address',
  mint: 'address',
  program: 'address',
  authority: 'address',
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
  method: 'word',
  route: 'place',
  status: 'number',
  created: 'boolean',
  recipientCount: 'number',
  milliseconds: 'number',
  waitMs: 'number',
  retryAfterSeconds: 'number',
  until: 'number',
  failures: 'number',
  times: 'number',
  count: 'number',
  looksDue: 'number',
  readAgain: 'number',
  leaves: 'number',
  sequence: 'number',
  number: 'number',
  database: 'word',
  migrations: 'words',
  setting: 'word',
  url: 'url',
  error: 'word',
  cause: 'place',
  place: 'place',
  reason: 'text',
  detail: 'text',
  component: 'word',
} as const satisfies Record<string, Kind>;

type ValueOf<K extends Kind> = K extends 'number'
  ? number | bigint
  : K extends 'boolean'
    ? boolean
    : K extends 'words'
      ? readonly string[]
      : string;

/** The fields of a log line. */
export type LogFields = {
  readonly [Name in keyof typeof LOG_FIELDS]?: ValueOf<(typeof LOG_FIELDS)[Name]> | undefined;
};

/** Stands where a value was not what its field may hold. */
export const PRIVATE = '[private]';

const WORD = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const RUN = /^[1-9A-HJ-NP-Za-km-z]{32,44}:[0-9]{1,20}$/;
/** What could be an address, a signature, a salt, a hash, a key or a proof: long runs of letters and digits. */
const OPAQUE = /[0-9A-Za-z+/_-]{25,}={0,2}/g;
const LONGEST = 500;

/** Text of our own with everything taken out that could be private; words of a language are shorter than any secret. */
export function publicText(text: string): string {
  return text.slice(0, LONGEST).replaceAll(OPAQUE, '…');
}

/** An address without user, password and query, where services carry their keys. */
export function publicUrl(text: string): string {
  try {
    const { protocol, host, pathname } = new URL(text);
    return `${protocol}//${host}${pathname}`;
  } catch {
    return PRIVATE;
  }
}

const WRITERS: Record<Kind, (value: unknown) => unknown> = {
  number: (value) => {
    if (typeof value === 'bigint') return Number(value);
    return typeof value === 'number' && Number.isFinite(value) ? value : PRIVATE;
  },
  boolean: (value) => (typeof value === 'boolean' ? value : PRIVATE),
  word: (value) => (typeof value === 'string' && WORD.test(value) && value.length < 32 ? value : PRIVATE),
  words: (value) => (Array.isArray(value) ? value.map((one) => publicText(String(one))) : PRIVATE),
  address: (value) => (typeof value === 'string' && ADDRESS.test(value) ? value : PRIVATE),
  run: (value) => (typeof value === 'string' && RUN.test(value) ? value : PRIVATE),
  text: (value) => (typeof value === 'string' ? publicText(value) : PRIVATE),
  url: (value) => (typeof value === 'string' ? publicUrl(value) : PRIVATE),
  // A route's template or a line of a stack: paths of the source, which may be long.
  place: (value) => (typeof value === 'string' ? value.slice(0, LONGEST) : PRIVATE),
};

/** The fields as they are written. A field that is not listed, or holds what it may not, says so and nothing more. */
export function writableFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const written: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const kind = (LOG_FIELDS as Readonly<Record<string, Kind | undefined>>)[name];
    written[name] = kind === undefined ? PRIVATE : WRITERS[kind](value);
  }
  return written;
}
