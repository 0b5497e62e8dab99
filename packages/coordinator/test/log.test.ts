import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { addressFromBytes, systemTime } from '@payouts/client';
import { getBase58Decoder } from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RUN_ERRORS, RunError } from '../src/domain/errors.ts';
import { PROBLEMS } from '../src/domain/problems.ts';
import { ATTEMPT_OUTCOMES, RUN_STATES, STAGES } from '../src/domain/run.ts';
import { errorFields, unexpected } from '../src/platform/log/errorFields.ts';
import { LOG_FIELDS, type LogFields, PRIVATE, publicText, publicUrl } from '../src/platform/log/fields.ts';
import { createLogger, type Logger } from '../src/platform/log/log.ts';
import { placeOf } from '../src/platform/log/place.ts';
import { builtChild } from './support/child.ts';

const schedule = addressFromBytes(randomBytes(32));

/** What a log writes when it is used so. */
function written(use: (log: Logger) => void): string {
  let lines = '';
  const write = (line: string) => {
    lines += line;
  };
  use(createLogger({ level: 'trace', pretty: false, time: systemTime, to: { write } }));
  return lines;
}

const line = (fields: LogFields): Record<string, unknown> =>
  JSON.parse(written((log) => log.info(fields, 'something happened')));

describe('a log', () => {
  it('writes what its fields may hold', () => {
    const fields: LogFields = {
      schedule,
      run: `${schedule}:17`,
      stage: 'claim',
      attempt: 2,
      code: 'authority-balance-low',
      milliseconds: 12.4,
      until: 1_795_276_766_253,
      number: 41n,
      created: true,
      route: '/api/schedules/:schedulePda/recipients/:address',
      url: 'http://127.0.0.1:8080',
      place: 'coordinator/src/runs/claimRecipients.ts:33',
      migrations: ['0001_initial', '0003_service'],
      detail: '3 recipients can’t be paid now; they are tried again until the batch timeout.',
    };
    expect(line(fields)).toMatchObject({ ...fields, milliseconds: 12, number: 41, msg: 'something happened' });
  });

  it.each([
    'DBOSWorkflowCancelledError',
    'RPCError',
    'ECONNREFUSED',
    'ERR_SOCKET_TIMEOUT',
    'parseJSON',
    'getSlot',
    'getSignaturesForAddress',
    'WorkflowCancelledError',
    'v2',
  ])('takes %s for a word', (error) => {
    expect(line({ error })).toMatchObject({ error });
  });

  it.each<[string, Record<string, unknown>]>([
    ['a salt in a word', { code: randomBytes(16).toString('hex') }],
    ['an address in a word', { code: schedule }],
    ['a salt that looks like words', { stage: 'jeRufDovhnnkgqzcgGghew' }],
    ['few different bytes in a word', { stage: 'aFcaJpcAAMYASiaaAAAAAA' }],
    ['digits in parts', { stage: '123-456_789' }],
    ['what looks like an address and is none', { schedule: 'a'.repeat(32) }],
    ['an amount in a count', { recipientCount: 7_000_000_123 }],
    ['an amount in a ledger’s number', { number: 7_000_000_123n }],
    ['a big integer in a count', { recipientCount: 5n }],
    ['text in a count', { attempt: '5' }],
    ['a path instead of a route', { route: `/api/schedules/${schedule}` }],
    ['something else than a place', { place: `at Object.<anonymous> (${schedule})` }],
    ['a run of no schedule', { run: `${'x'.repeat(40)}:1` }],
    ['an error', { error: new Error('x') }],
    ['a list', { code: ['x'] }],
    ['bytes', { detail: randomBytes(32) }],
    ['a list for a list of words', { migrations: [{}] }],
  ])('replaces %s', (_, fields) => {
    const [name = ''] = Object.keys(fields);
    const value = line(fields as LogFields)[name];
    expect(Array.isArray(value) ? value[0] : value).toBe(PRIVATE);
  });

  it('has neither names nor values of fields that are not listed, inherited or broken ones', () => {
    const broken = Object.defineProperty({}, 'code', {
      enumerable: true,
      get: () => {
        throw new Error('secret');
      },
    });
    for (const fields of [
      { [schedule]: 1 },
      { err: new Error('secret') },
      { constructor: 'secret' },
      broken,
      null,
      'x',
      5,
    ]) {
      const text = written((log) => log.info(fields as never, 'something happened'));
      expect(text).not.toContain('secret');
      expect(text).not.toContain(schedule);
    }
    expect(line({ err: 'x', [schedule]: 1 } as never)).toMatchObject({ unlisted: PRIVATE });
    expect(written((log) => log.child({ err: new Error('secret'), x: 'secret' } as never).info('child'))).not.toContain(
      'secret',
    );
  });

  it('takes constant messages alone', () => {
    const message: string = 'put together';
    // @ts-expect-error a message that is not constant
    written((log) => log.info(message));
    // @ts-expect-error the same beside fields
    written((log) => log.info({ attempt: 1 }, `${message} again`));
    // @ts-expect-error a field that is not listed
    written((log) => log.info({ recipient: 'x' }, 'constant'));
    // @ts-expect-error an amount where a count belongs
    written((log) => log.info({ recipientCount: 5n }, 'constant'));
    // @ts-expect-error an error
    written((log) => log.info({ err: new Error('x') }, 'constant'));
    expect(written((log) => log.info(schedule as never))).not.toContain(schedule);
  });
});

/** Secrets of every kind that the service knows, in every form that they could take. */
const secret: fc.Arbitrary<{ readonly forms: readonly string[]; readonly values: readonly unknown[] }> = fc.oneof(
  // As they are drawn: any byte as likely as any other.
  fc.noBias(fc.uint8Array({ minLength: 32, maxLength: 32 })).map(bytesForms),
  fc.noBias(fc.uint8Array({ minLength: 16, maxLength: 16 })).map(bytesForms),
  fc.bigInt(10n ** 9n, 2n ** 64n - 1n).map((amount) => ({
    forms: [String(amount)],
    values: [amount, String(amount), Number(amount), `${amount} base units`, [amount], { amount }],
  })),
);

function bytesForms(bytes: Uint8Array) {
  const buffer = Buffer.from(bytes);
  const base58 = getBase58Decoder().decode(bytes);
  const texts = [
    buffer.toString('hex'),
    buffer.toString('base64'),
    buffer.toString('base64url'),
    base58,
    bytes.join(','),
  ];
  return {
    // Half of a secret is a find as well.
    forms: texts.map((text) => text.slice(0, Math.ceil(text.length / 2) + 4)),
    values: [...texts, bytes, buffer, [...bytes], { recipient: base58 }, new Map([[base58, bytes]]), new Error(base58)],
  };
}

const wrappings: readonly ((value: unknown) => unknown)[] = [
  (value) => value,
  (value) => [value],
  (value) => ({ value }),
  (value) => `recipient=${value}`,
  (value) => `postgres://user:${value}@host/database?key=${value}`,
  (value) => `https://host/v2/${value}`,
  (value) => Object.assign(new Error(`${value}\n    at ${value} (/packages/${value}:1:1)`), { code: value, value }),
  (value) => ({ toJSON: () => value, toString: () => String(value), [Symbol.toPrimitive]: () => String(value) }),
  (value) => Object.create({ detail: value }, { code: { enumerable: true, value } }),
];
/** The kinds that stand for something public, which a secret of the very same form can't be told from. */
const PUBLIC_BY_KIND: ReadonlySet<string> = new Set(['address', 'run', 'time']);

describe('whatever is thrown at a log by a cast', () => {
  it('comes out without anything private', () => {
    const names = Object.entries(LOG_FIELDS).filter(([, kind]) => !PUBLIC_BY_KIND.has(kind));
    fc.assert(
      fc.property(
        secret,
        fc.constantFrom(...names.map(([name]) => name), 'err', 'msg', 'level', 'time', '__proto__', 'anything'),
        fc.constantFrom(...wrappings),
        ({ forms, values }, name, wrap) => {
          for (const value of values) {
            const wrapped = wrap(value);
            const fields = { [name]: wrapped } as never;
            const text = written((log) => {
              log.info(fields, 'constant');
              log.warn(wrapped as never, wrapped as never);
              log.error(wrapped as never);
              log.child(fields).debug('constant');
              log.child(fields).fatal(fields, 'constant');
              log.info(errorFields(wrapped), 'constant');
            });
            for (const form of forms) {
              expect(text.replaceAll(/"time":\d+/g, '')).not.toContain(form);
              expect(unexpected(wrapped)).not.toContain(form);
            }
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it('is no secret in a field for addresses unless it is an address itself', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (salt) => {
        const hex = Buffer.from(salt).toString('hex');
        for (const value of [hex, getBase58Decoder().decode(salt), `${hex}:1`]) {
          const text = written((log) => log.info({ schedule: value, run: value, mint: `${value}1` }, 'constant'));
          expect(text).not.toContain(hex);
        }
      }),
    );
  });
});

describe('texts', () => {
  it.each([
    ['The vault’s reserve lacks 7000000123 base units.', 'The vault’s reserve lacks … base units.'],
    ['adds up to 1,234,567 but', 'adds up to … but'],
    ['connect ECONNREFUSED 127.0.0.1:5432', 'connect ECONNREFUSED …'],
    ['redis://user:password@host', 'redis://…@host'],
    ['3 of 90 recipients', '3 of 90 recipients'],
    ['bytes 1,2,3,4,5,6', 'bytes …'],
    ['key ab12cd34ef56', 'key …'],
    ['refused the claim: BatchNotComplete.', 'refused the claim: BatchNotComplete.'],
    ['refused the claim: BatchNotKnownHere.', 'refused the claim: ….'],
  ])('%s', (text, expected) => {
    expect(publicText(text)).toBe(expected);
  });

  it('name of a URL the host alone', () => {
    expect(publicUrl('https://user:key@rpc.example:8899/v2/key?api-key=key')).toBe('https://rpc.example:8899');
    expect(publicUrl('nonsense key')).toBe(PRIVATE);
  });
});

describe('errors', () => {
  it('are described by kind and place, with their words only if they are our own', () => {
    const error = Object.assign(new Error(`Key (recipient)=(${schedule}) exists`), { code: '23505' });
    expect(errorFields(error)).toEqual({
      error: 'Error',
      place: expect.stringMatching(/^coordinator\/test\/log\.test\.ts:\d+$/),
    });
    expect(errorFields(new RunError('not-due', 'The window is not due yet.'))).toEqual({
      error: 'not-due',
      detail: 'The window is not due yet.',
    });
    expect(errorFields('text')).toEqual({ error: 'unknown' });
    expect(unexpected(error)).toMatch(/^An unexpected error \(Error, coordinator\/test\/log\.test\.ts:\d+\)\.$/);
  });

  it('have no place in their message', () => {
    const error = new Error(`x\n    at ${schedule} (/packages/secret/src/secret.ts:1:1)`);
    expect(placeOf(error)).toMatch(/^coordinator\/test\/log\.test\.ts/);
    error.message = 'changed';
    expect(placeOf(error) ?? '').not.toContain(schedule);
  });
});

it('has words for every code and state that the service knows', () => {
  const words = [...Object.keys(PROBLEMS), ...Object.keys(RUN_ERRORS), ...RUN_STATES, ...STAGES, ...ATTEMPT_OUTCOMES];
  const names = ['SolanaError', 'DecryptionFailed', 'ECONNREFUSED', 'DOMException', 'ERR_SOCKET_CLOSED', 'NotCovered'];
  for (const word of [...words, ...names]) expect(line({ code: word })).toMatchObject({ code: word });
});

it.each(['rejection', 'exception'])(
  'lets nothing past it into the outputs of a process that ends by an uncaught %s',
  (ending) => {
    const secret = randomBytes(32).toString('hex');
    const script = builtChild('guarded.ts');
    const { stdout, stderr, status } = spawnSync(process.execPath, [script, secret, ending], { encoding: 'utf8' });
    expect(stdout + stderr).not.toContain(secret);
    expect(status).toBe(1);
    expect(stdout.match(/a library printed something/g)).toHaveLength(3);
    expect(stdout).toContain('"msg":"a warning"');
    expect(stdout).toContain('an error that nobody caught; the process ends');
    expect(stdout).toMatch(/"place":"coordinator\/test\/dist\/guarded\.js:\d+"/);
  },
);
