import { type Attack, attack, type Family, seenIn, unless } from '../attack.ts';
import type { Scene } from '../scene.ts';
import type { Answer } from '../wire.ts';

const SMUGGLED = '/api/session';
const REFUSED = ['malformed-request'];
const TE = 'Transfer-Encoding';

/** Bytes that two servers could read in two ways: they must be refused, and nothing behind them answered. */
const bytes = (
  what: string,
  make: (scene: Scene) => string,
  codes: readonly string[] = REFUSED,
  wasFound = false,
): Attack =>
  attack(
    what,
    codes.join(' or '),
    async (scene) => {
      const answers = await scene.raw(make(scene), 8_000);
      const [first, ...more] = answers;
      const seen = answers.length === 0 ? 'no answer' : answers.map(seenIn).join(', ');
      const isSmuggled = more.some(({ status }) => status !== 400 && status !== 408);
      const answered = first === undefined ? seen : (first.code ?? String(first.status));
      const isRefused = codes.includes(answered) && !isSmuggled;
      if (isRefused) return { outcome: 'refused', seen };
      const isOtherwise =
        first !== undefined && first.status >= 400 && first.status < 500 && first.code !== undefined && !isSmuggled;
      return { outcome: isOtherwise ? 'otherwise' : 'succeeded', seen };
    },
    { wasFound },
  );

/** A registration with these headers and this body, and a request hidden behind it. */
const smuggling = (what: string, headers: readonly string[], body: string, codes?: readonly string[]) =>
  bytes(
    `a request hidden behind ${what}`,
    ({ authority }) =>
      [
        `POST /api/schedules HTTP/1.1`,
        `Host: ${authority}`,
        'Content-Type: application/json',
        ...headers,
        '',
        body,
      ].join('\r\n'),
    codes,
  );
const HIDDEN = `GET ${SMUGGLED} HTTP/1.1\r\nHost: x\r\n\r\n`;

const withLine = (what: string, line: string, codes?: readonly string[]) =>
  bytes(
    what,
    ({ authority }) => `GET /api/health HTTP/1.1\r\nHost: ${authority}\r\n${line}\r\nConnection: close\r\n\r\n`,
    codes,
  );
const first = (what: string, line: string, codes?: readonly string[]) =>
  bytes(what, ({ authority }) => `${line}\r\nHost: ${authority}\r\nConnection: close\r\n\r\n`, codes);

const hidden: Attack[] = [
  smuggling('a length and chunks', ['Content-Length: 6', `${TE}: chunked`], `0\r\n\r\n${HIDDEN}`),
  smuggling('chunks and a length', [`${TE}: chunked`, 'Content-Length: 3'], `1\r\nx\r\n0\r\n\r\n${HIDDEN}`),
  smuggling('two lengths', ['Content-Length: 0', `Content-Length: ${HIDDEN.length}`], HIDDEN),
  smuggling('a list of lengths', [`Content-Length: 0, ${HIDDEN.length}`], HIDDEN),
  smuggling('a length with a sign', ['Content-Length: +0'], HIDDEN),
  smuggling('a negative length', ['Content-Length: -1'], HIDDEN),
  smuggling('a length in hexadecimal', ['Content-Length: 0x0'], HIDDEN),
  smuggling('a length that is too large for a number', ['Content-Length: 99999999999999999999'], HIDDEN),
  smuggling('an encoding that there is not', [`${TE}: xchunked`], `0\r\n\r\n${HIDDEN}`, [
    ...REFUSED,
    'unsupported-media-type',
    '501',
  ]),
  smuggling('chunks that are not last', [`${TE}: chunked, identity`], `0\r\n\r\n${HIDDEN}`, [...REFUSED, '501']),
  smuggling('two encodings', [`${TE}: chunked`, `${TE}: identity`], `0\r\n\r\n${HIDDEN}`, [...REFUSED, '501']),
  smuggling('an encoding behind a tab', [`${TE}:\tchunked`, 'Content-Length: 4'], `0\r\n\r\n${HIDDEN}`),
  smuggling('a space before the colon', [`${TE} : chunked`], `0\r\n\r\n${HIDDEN}`),
  smuggling('a folded header', ['X: y', `\t${TE}: chunked`, 'Content-Length: 0'], HIDDEN),
  smuggling('a chunk whose size is too large', [`${TE}: chunked`], `ffffffffffffffffff\r\n${HIDDEN}`),
  smuggling('a chunk whose size has a sign', [`${TE}: chunked`], `+1\r\nx\r\n0\r\n\r\n${HIDDEN}`),
  smuggling('a chunk that ends with a bare line feed', [`${TE}: chunked`], `1\nx\n0\n\n${HIDDEN}`),
  smuggling('an extension of a chunk of 100 KB', [`${TE}: chunked`], `1;${'x'.repeat(100_000)}\r\nx\r\n0\r\n\r\n`, [
    ...REFUSED,
    'body-too-large',
    'headers-too-large',
    '413',
  ]),
];

const odd: Attack[] = [
  bytes('bare line feeds', ({ authority }) => `GET /api/health HTTP/1.1\nHost: ${authority}\n\n${HIDDEN}`),
  bytes('carriage returns alone', ({ authority }) => `GET /api/health HTTP/1.1\rHost: ${authority}\r\r`, [
    ...REFUSED,
    'request-timeout',
  ]),
  withLine('a header without a name', ': x'),
  withLine('a header without a colon', 'nonsense'),
  withLine('a zero byte in a header', 'X: a\0b'),
  withLine('a space in the name of a header', 'X Y: z'),
  withLine('a header of 20 KB', `X: ${'y'.repeat(20_000)}`, ['headers-too-large']),
  withLine('3,000 headers', Array.from({ length: 3_000 }, (_, at) => `X${at}: y`).join('\r\n'), ['headers-too-large']),
  bytes(
    'an expectation that there is not',
    ({ authority }) => `GET /api/health HTTP/1.1\r\nHost: ${authority}\r\nExpect: payment\r\nConnection: close\r\n\r\n`,
    ['malformed-request', 'expectation-failed'],
    true,
  ),
  first('a path of 20 KB', `GET /${'x'.repeat(20_000)} HTTP/1.1`, ['headers-too-large']),
  first('a version that there is not', 'GET /api/health HTTP/3.0'),
  first('a method that there is not', 'GETS /api/health HTTP/1.1'),
  first('a method in small letters', 'get /api/health HTTP/1.1'),
  first('TRACE', 'TRACE /api/health HTTP/1.1', ['method-not-allowed', 'not-found']),
  first('CONNECT to another host', 'CONNECT evil.example:443 HTTP/1.1', ['not-found', 'no answer']),
  first('OPTIONS for everything', 'OPTIONS * HTTP/1.1', ['not-found', 'method-not-allowed', 'malformed-request']),
  bytes('the beginning of HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  bytes('a greeting of TLS', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'),
  bytes('what is no HTTP', () => 'EHLO evil.example\r\n\r\n'),
];

/** Answered in another way than by a refusal: what must not be in it. */
const mustNot = (
  what: string,
  expected: string,
  make: (scene: Scene) => string,
  isWrong: (answers: readonly Answer[]) => boolean,
): Attack =>
  attack(what, expected, async (scene) => {
    const answers = await scene.raw(make(scene), 8_000);
    return unless(isWrong(answers), answers.length === 0 ? 'no answer' : answers.slice(0, 3).map(seenIn).join(', '));
  });

const upgrades: Attack[] = [
  mustNot(
    'an upgrade to a websocket',
    'no 101',
    ({ authority }) =>
      `GET /api/events HTTP/1.1\r\nHost: ${authority}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    (answers) => answers.some(({ status }) => status < 200),
  ),
  mustNot(
    'an upgrade to HTTP/2 in the clear',
    'no 101',
    ({ authority }) =>
      `GET /api/health HTTP/1.1\r\nHost: ${authority}\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\nConnection: close, Upgrade, HTTP2-Settings\r\n\r\n`,
    (answers) => answers.some(({ status }) => status < 200),
  ),
  mustNot(
    'trailers that sign a request',
    'signature-missing',
    ({ authority }) =>
      `POST /api/reconcile HTTP/1.1\r\nHost: ${authority}\r\nContent-Type: application/json\r\n${TE}: chunked\r\nTrailer: Signature\r\nConnection: close\r\n\r\nd\r\n{"fix":false}\r\n0\r\nSignature: x=:AAAA:\r\n\r\n`,
    ([answer]) => answer?.status !== 401,
  ),
  mustNot(
    '3,000 requests in one go on a connection',
    'the limit counts each',
    ({ authority }) => `GET /api/nothing HTTP/1.1\r\nHost: ${authority}\r\n\r\n`.repeat(3_000),
    // Reads stay open while a shared store of the limits does not answer; such an answer says nothing of a limit.
    (answers) => answers.filter(({ status, headers }) => status !== 429 && 'ratelimit-limit' in headers).length > 2_400,
  ),
  mustNot(
    'a header of an answer that a request writes',
    'no such header',
    ({ authority }) =>
      `GET /api/schedules/x%0d%0aset-cookie:a=b HTTP/1.1\r\nHost: ${authority}\r\nConnection: close\r\n\r\n`,
    (answers) => answers.some(({ headers }) => 'set-cookie' in headers),
  ),
];

export const http: Family = { title: 'odd HTTP', attacks: [...hidden, ...odd, ...upgrades] };
