import { gzipSync } from 'node:zlib';
import { MAX_LEAVES } from '@payouts/client';
import { type Attack, attack, type Family, judge, refused, unless } from '../attack.ts';
import { registrationOf, type Scene } from '../scene.ts';
import { requestBytes } from '../wire.ts';

const JSON_OR_SHAPE = ['invalid-json', 'invalid-body'] as const;
const TYPE = ['unsupported-media-type'] as const;
const ENTRY = ['invalid-recipient', 'invalid-body', 'invalid-json'] as const;
/** More entries than the longest list has, and milliseconds in which they have been looked at. */
const MORE_ENTRIES = MAX_LEAVES + 50_000;
const WAITED_MS = 20_000;
const MEGABYTE = 2 ** 20;

const valid = ({ service }: Scene) => registrationOf(service.employer);

/** The first entry of the list with something else in it, and what is changed beside the list. */
function changed({ service }: Scene, entry: object, beside: object = {}): string {
  const [first, ...others] = service.employer.list;
  return JSON.stringify({
    schedulePda: service.employer.schedule,
    recipients: [{ ...first, ...entry }, ...others],
    ...beside,
  });
}

const sends = (
  what: string,
  codes: readonly string[],
  body: (scene: Scene) => string | Uint8Array,
  headers: Record<string, string> = {},
) => refused(`a list ${what}`, codes, (scene) => scene.register(body(scene), headers));

/** A list of which a piece of the text is replaced: what no program that writes JSON would write. */
const rewritten = (what: string, codes: readonly string[], change: (text: string, scene: Scene) => string) =>
  sends(what, codes, (scene) => change(valid(scene), scene));

const entries: readonly (readonly [what: string, entry: object])[] = [
  ['with a negative amount', { amount: '-1' }],
  ['with an amount of 2^64', { amount: '18446744073709551616' }],
  ['with an amount as a number', { amount: 5 }],
  ['with an amount as a float', { amount: '1.5' }],
  ['with an amount with an exponent', { amount: '1e3' }],
  ['with an amount in hexadecimal', { amount: '0x10' }],
  ['with zeros before an amount', { amount: '0005' }],
  ['with a space before an amount', { amount: ' 5' }],
  ['with an amount in other digits', { amount: '٥' }],
  ['with no amount', { amount: undefined }],
  ['with an amount of null', { amount: null }],
  ['with a list of amounts', { amount: ['5'] }],
  ['with a negative index', { index: -1 }],
  ['with an index beyond any list', { index: 4_294_967_296 }],
  ['with a fraction of an index', { index: 0.5 }],
  ['with an index as text', { index: '0' }],
  ['with an index twice', { index: 1 }],
  ['with a recipient of 31 bytes', { recipient: '1111111111111111111111111111111' }],
  ['with a recipient of a thousand characters', { recipient: 'A'.repeat(1_000) }],
  ['with a recipient that is an object', { recipient: { toString: 'x' } }],
  ['with a short salt', { salt: 'ab' }],
  ['with a salt that is not hexadecimal', { salt: 'z'.repeat(32) }],
  ['with another delivery', { delivery: 'bank' }],
  ['with a field more in an entry', { admin: true }],
  ['with an own __proto__ in an entry', JSON.parse('{"__proto__":{"amount":"1"}}') as object],
];

const texts: Attack[] = [
  sends('that is empty', JSON_OR_SHAPE, () => ''),
  sends('that is null', JSON_OR_SHAPE, () => 'null'),
  sends('that is a list', JSON_OR_SHAPE, () => '[]'),
  sends('that is text', JSON_OR_SHAPE, () => '"x"'),
  sends('that is cut off', JSON_OR_SHAPE, (scene) => valid(scene).slice(0, -20)),
  rewritten('with more behind it', JSON_OR_SHAPE, (text) => `${text}{}`),
  rewritten('with a mark of bytes’ order', JSON_OR_SHAPE, (text) => `\ufeff${text}`),
  rewritten('with a comment', JSON_OR_SHAPE, (text) => `${text}// end`),
  rewritten('with a comma behind its last entry', JSON_OR_SHAPE, (text) => text.replace(']', ',]')),
  rewritten('with single quotes', JSON_OR_SHAPE, (text) => text.replaceAll('"', "'")),
  rewritten('with its schedule twice', JSON_OR_SHAPE, (text, { stranger }) =>
    text.replace('{', `{"schedulePda":"${stranger.address}",`),
  ),
  rewritten('with its recipients twice', JSON_OR_SHAPE, (text) => text.replace(/}$/, ',"recipients":[]}')),
  rewritten('with its schedule twice, once escaped', JSON_OR_SHAPE, (text, { stranger }) =>
    text.replace('{', `{"schedule\\u0050da":"${stranger.address}",`),
  ),
  rewritten(
    'with an amount twice in an entry',
    [...ENTRY, 'total-mismatch', 'root-mismatch', 'list-conflict'],
    (text) => text.replace(/"amount":"\d+"/, (amount) => `${amount},"amount":"1"`),
  ),
  rewritten('with an own __proto__', JSON_OR_SHAPE, (text) => text.replace('{', '{"__proto__":{"mint":"x"},')),
  rewritten('with a constructor', JSON_OR_SHAPE, (text) => text.replace('{', '{"constructor":{"prototype":{"x":1}},')),
  rewritten('with a field more', JSON_OR_SHAPE, (text) => text.replace('{', '{"isAdmin":true,')),
  rewritten('with an amount that is not a number', ENTRY, (text) => text.replace(/"amount":"\d+"/, '"amount":NaN')),
  rewritten('with a character of control', JSON_OR_SHAPE, (text) =>
    text.replace('"schedulePda"', '"schedule\u0001Pda"'),
  ),
  rewritten('with half of a pair of surrogates', ENTRY, (text) =>
    text.replace(/"recipient":"./, '"recipient":"\\ud800'),
  ),
  rewritten('for a mint that is none', JSON_OR_SHAPE, (text) => text.replace('{', '{"mint":"x",')),
  rewritten('for another mint', ['mint-mismatch'], (text, { stranger }) =>
    text.replace('{', `{"mint":"${stranger.address}",`),
  ),
  rewritten('for a schedule that is not there', ['schedule-not-found'], (text, { service, stranger }) =>
    text.replace(service.employer.schedule, stranger.address),
  ),
  rewritten('without one of its entries', ['count-mismatch', 'list-conflict'], (text) =>
    JSON.stringify(withoutFirst(text)),
  ),
  sends('with bytes that are no UTF-8', ENTRY, (scene) =>
    Buffer.concat([
      Buffer.from(valid(scene).slice(0, 30)),
      Buffer.from([0xff, 0xfe]),
      Buffer.from(valid(scene).slice(30)),
    ]),
  ),
  sends('in UTF-16', JSON_OR_SHAPE, (scene) => Buffer.from(valid(scene), 'utf16le')),
  sends('100,000 lists deep', JSON_OR_SHAPE, () => '['.repeat(100_000)),
  sends(
    'with an entry 100,000 objects deep',
    ENTRY,
    () => `{"recipients":[${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}]}`,
  ),
  sends('with a number of a million digits', ENTRY, () => `{"recipients":[{"index":${'9'.repeat(1_000_000)}}]}`),
  sends('with a name of ten million characters', JSON_OR_SHAPE, () => `{"${'n'.repeat(10_000_000)}":1}`),
];

const withoutFirst = (text: string) => {
  const { schedulePda, recipients } = JSON.parse(text) as { schedulePda: string; recipients: object[] };
  return { schedulePda, recipients: recipients.slice(1).map((entry, index) => ({ ...entry, index })) };
};

const types: Attack[] = [
  ...[
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/json-patch+json',
    'text/json',
    '*/*',
    'application/json, text/plain',
  ].map((type) => sends(`as ${type}`, TYPE, valid, { 'content-type': type })),
  refused('a list of no type', [...TYPE, 'invalid-body'], (scene) =>
    scene.ask({ method: 'POST', path: '/api/schedules', body: valid(scene) }),
  ),
  sends('that is compressed', [...TYPE, ...JSON_OR_SHAPE], (scene) => gzipSync(valid(scene)), {
    'content-encoding': 'gzip',
  }),
  sends(
    'that is a bomb of 512 MB in 512 KB',
    [...TYPE, ...JSON_OR_SHAPE],
    () => gzipSync(Buffer.alloc(512 * MEGABYTE)),
    { 'content-encoding': 'gzip' },
  ),
  sends('in another character set', [...TYPE, ...JSON_OR_SHAPE], (scene) => Buffer.from(valid(scene), 'utf16le'), {
    'content-type': 'application/json; charset=utf-16le',
  }),
];

/** What comes of a list is told before all of it has come, if that is known: this one stays open. */
const endless = attack(
  'a list that goes on behind the longest one’s length',
  'invalid-body before the list has an end',
  async (scene) => {
    const begun = `{"schedulePda":"${scene.stranger.address}","recipients":[${'0,'.repeat(MORE_ENTRIES)}`;
    const headers = [
      ['Host', scene.authority],
      ['Content-Type', 'application/json'],
      ['Content-Length', String(2 * begun.length)],
    ] as const;
    const [answer] = await scene.raw(requestBytes('POST /api/schedules HTTP/1.1', headers, begun), WAITED_MS);
    return answer === undefined ? unless(true, 'no answer yet') : judge(answer, ['invalid-body']);
  },
  { wasFound: true },
);

const sizes: Attack[] = [
  endless,
  refused('a body that says it has 1 GB', ['body-too-large'], async (scene) => {
    const [answer] = await scene.raw(
      requestBytes(
        'POST /api/schedules HTTP/1.1',
        [
          ['Host', scene.authority],
          ['Content-Type', 'application/json'],
          ['Content-Length', String(1_024 * MEGABYTE)],
        ],
        '{',
      ),
    );
    return answer ?? { status: 0, code: undefined, headers: {}, body: '', ms: 0 };
  }),
  refused('a webhook of 100 KB', ['body-too-large'], (scene) =>
    scene.signed(scene.service.employer.signer, {
      method: 'POST',
      path: scene.of(scene.service.employer, '/webhooks'),
      body: JSON.stringify({ url: `https://x.example/${'x'.repeat(100_000)}` }),
    }),
  ),
];

const signedBody = (what: string, path: '/grants' | '/webhooks', codes: readonly string[], body: string) =>
  refused(what, codes, (scene) =>
    scene.signed(scene.service.employer.signer, { method: 'POST', path: scene.of(scene.service.employer, path), body }),
  );
const hook = (more: object) => JSON.stringify({ url: 'https://payroll.example.com/hooks', ...more });
const P256 = { kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'A'.repeat(43) };

const signed: Attack[] = [
  signedBody(
    'a webhook with an own __proto__',
    '/webhooks',
    JSON_OR_SHAPE,
    '{"url":"https://x.example/","__proto__":{"scope":"vault"}}',
  ),
  signedBody(
    'a webhook with a constructor’s prototype',
    '/webhooks',
    JSON_OR_SHAPE,
    '{"url":"https://x.example/","constructor":{"prototype":{"scope":"vault"}}}',
  ),
  signedBody('a webhook with a list of addresses', '/webhooks', ['invalid-body'], '{"url":["https://x.example/"]}'),
  signedBody(
    'a webhook whose key for messages is a private one',
    '/webhooks',
    ['invalid-body'],
    hook({ encryptionKey: { ...P256, d: 'A'.repeat(43) } }),
  ),
  signedBody(
    'a webhook whose key for messages is no point',
    '/webhooks',
    ['invalid-webhook'],
    hook({ encryptionKey: P256 }),
  ),
  signedBody('a webhook for every service', '/webhooks', ['invalid-body'], hook({ scope: 'service' })),
  signedBody(
    'a webhook with types that there are not',
    '/webhooks',
    ['invalid-body'],
    hook({ types: ['recipient.paid'] }),
  ),
  signedBody(
    'a webhook with an id of one’s own',
    '/webhooks',
    ['invalid-body'],
    hook({ id: '00000000-0000-4000-8000-000000000000' }),
  ),
  signedBody(
    'a webhook 10,000 objects deep',
    '/webhooks',
    JSON_OR_SHAPE,
    `{"url":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`,
  ),
];

const transaction = (what: string, text: string, codes: readonly string[] = ['invalid-transaction', 'invalid-body']) =>
  refused(`a transaction ${what}`, codes, (scene) =>
    scene.ask({
      method: 'POST',
      path: '/api/transactions',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ transaction: text }),
    }),
  );

const transactions: Attack[] = [
  transaction('that is empty', ''),
  transaction('that is no base 64', '***'),
  transaction('of zeros', Buffer.alloc(200).toString('base64')),
  transaction('of ones', Buffer.alloc(1_232, 1).toString('base64')),
  transaction('that is larger than a ledger takes', Buffer.alloc(1_400, 1).toString('base64')),
  transaction('with 127 signatures', Buffer.concat([Buffer.from([127]), Buffer.alloc(1_000)]).toString('base64')),
  transaction('with a length that has no end', Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff]).toString('base64')),
];

export const bodies: Family = {
  title: 'odd bodies',
  attacks: [
    ...entries.map(([what, entry]) => sends(what, ENTRY, (scene) => changed(scene, entry))),
    ...texts,
    ...types,
    ...sizes,
    ...signed,
    ...transactions,
  ],
};
