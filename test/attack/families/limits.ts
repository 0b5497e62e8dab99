import { addressFromBytes } from '@payouts/client';
import { type Attack, attack, type Family, judge, refused, seenIn, unless } from '../attack.ts';
import type { Scene } from '../scene.ts';
import { METRICS_TOKEN, TRUSTED_PROXY } from '../service.ts';
import type { Answer, Headers } from '../wire.ts';

/** What the settings allow a client in a minute, as they come. */
const READS = 1_200;
const REGISTRATIONS = 60;
/** What they allow a client to open in ten seconds. */
const CONNECTIONS = 500;
const AT_ONCE = 50;
/** Reads of each kind that are compared, and milliseconds by which the fastest of them may differ. */
const SEARCHES = 40;
const SEARCHED_MS = 5;

type Send = (scene: Scene, at: number) => Promise<Answer>;

/** Sends one more than is allowed in two minutes, so that a window's end in between changes nothing; how many were taken. */
async function taken(scene: Scene, count: number, send: Send): Promise<number> {
  // On connections that are used again: how many a client may open is another limit.
  const kept = scene.keepingConnections(AT_ONCE);
  const answers = await inTurns(count, (at) => send(kept, at));
  return answers.filter(({ status }) => status !== 429).length;
}

/** So many, some at a time. */
async function inTurns<T>(count: number, send: (at: number) => Promise<T>): Promise<T[]> {
  const answers: T[] = [];
  for (let from = 0; from < count; from += AT_ONCE) {
    const length = Math.min(AT_ONCE, count - from);
    answers.push(...(await Promise.all(Array.from({ length }, (_, at) => send(from + at)))));
  }
  return answers;
}

const connections = attack('connections without end', `${CONNECTIONS} in ten seconds`, async (scene) => {
  const began = performance.now();
  const answers = await inTurns(4 * CONNECTIONS, () => scene.ask({ path: '/api/health' }));
  const most = CONNECTIONS * (1 + Math.ceil((performance.now() - began) / 10_000));
  const through = answers.filter(({ status }) => status !== 0).length;
  return unless(through > most, `${through} of ${answers.length} taken, ${most} at most`);
});

/** Anybody who signs may ask what a list says of them. Asking must not cost as much as the list is long. */
const searched = attack(
  'having a long list searched by a read that anybody may sign',
  `at most ${SEARCHED_MS} ms more than a read that is refused`,
  async (scene) => {
    const [searching, refusing] = ['/recipients/me', '/recipients'].map((path) => scene.of(scene.service.long, path));
    const timed = async (path = '') => (await scene.signed(scene.stranger, { path })).ms;
    const took: [number, number][] = [];
    for (let pair = 0; pair < SEARCHES; pair++) took.push([await timed(searching), await timed(refusing)]);
    // The fastest: what else the machine does only adds to it.
    const more = Math.min(...took.map(([one]) => one)) - Math.min(...took.map(([, other]) => other));
    return unless(more > SEARCHED_MS, `${more.toFixed(1)} ms more`);
  },
  { wasFound: true },
);

const flood = (what: string, limit: number, send: Send, more: Partial<Attack> = {}): Attack =>
  attack(
    what,
    `at most ${2 * limit} taken`,
    async (scene) => {
      const count = 2 * limit + AT_ONCE;
      const through = await taken(scene, count, send);
      return unless(through > 2 * limit, `${through} of ${count} taken`);
    },
    more,
  );

const PATH = '/api/schedules/x';
const read =
  (headers: (at: number) => Headers, more: { readonly from?: string } = {}): Send =>
  (scene, at) =>
    scene.ask({ path: PATH, headers: headers(at), ...more });
/** An address for each of many requests, of an employer that is no proxy of ours. */
const spoofed = (at: number) => `198.51.${at >> 8}.${at & 255}`;

const evasions: Attack[] = [
  flood(
    'reads without end',
    READS,
    read(() => ({})),
  ),
  flood('reads at two processes in turn', READS, (scene, at) => scene.ask({ path: PATH, at }), { needs: ['two'] }),
  ...['x-forwarded-for', 'x-real-ip', 'forwarded', 'cf-connecting-ip', 'true-client-ip'].map((name) =>
    flood(
      `reads with another ${name} each, which nobody trusts`,
      READS,
      read((at) => ({ [name]: name === 'forwarded' ? `for=${spoofed(at)}` : spoofed(at) })),
    ),
  ),
  flood(
    'reads behind a trusted proxy, from another port each',
    READS,
    (scene, at) =>
      scene.ask({ path: PATH, from: TRUSTED_PROXY, headers: { 'x-forwarded-for': `203.0.113.7:${20_000 + at}` } }),
    { wasFound: true },
  ),
  flood('reads behind a trusted proxy, from another address of one IPv6 network each', READS, (scene, at) =>
    scene.ask({ path: PATH, from: TRUSTED_PROXY, headers: { 'x-forwarded-for': `2001:db8:0:7::${at.toString(16)}` } }),
  ),
  flood('reads behind a trusted proxy, with addresses of one’s own before the true one', READS, (scene, at) =>
    scene.ask({ path: PATH, from: TRUSTED_PROXY, headers: { 'x-forwarded-for': `${spoofed(at)}, 203.0.113.8` } }),
  ),
  flood('reads behind a trusted proxy, the true address written in two ways', READS, (scene, at) =>
    scene.ask({
      path: PATH,
      from: TRUSTED_PROXY,
      headers: { 'x-forwarded-for': at % 2 === 0 ? '203.0.113.9' : '::ffff:203.0.113.9' },
    }),
  ),
  flood('reads of paths that are not there', READS, (scene, at) => scene.ask({ path: `/api/nothing/${at}` })),
  flood('reads of the rounds of tokens, another one each', READS, (scene, at) =>
    scene.ask({ path: `/api/rounds/${addressFromBytes(new Uint8Array(32).fill(1).fill(at % 251, 16))}` }),
  ),
  flood('requests of recipients that are none', READS, (scene) =>
    scene.ask({
      method: 'POST',
      path: '/api/transactions',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    }),
  ),
  flood('heads instead of reads', READS, (scene) => scene.ask({ method: 'HEAD', path: PATH })),
  flood('lists that are none', REGISTRATIONS, (scene) => scene.register('{}')),
  flood(
    'lists that are none at two processes in turn',
    REGISTRATIONS,
    (scene, at) => scene.register('{}', {}, { at }),
    { needs: ['two'] },
  ),
  flood('lists of another type', REGISTRATIONS, (scene) => scene.register('{}', { 'content-type': 'text/plain' })),
];

const WRONG_TOKENS: readonly (readonly [what: string, headers: Headers])[] = [
  ['without a token', {}],
  ['with another token', { authorization: 'Bearer guess' }],
  ['with an empty token', { authorization: 'Bearer ' }],
  ['with a token that is undefined', { authorization: 'Bearer undefined' }],
  ['with the beginning of the token', { authorization: `Bearer ${METRICS_TOKEN.slice(0, -1)}` }],
  ['with more behind the token', { authorization: `Bearer ${METRICS_TOKEN}x` }],
  ['with the token in capitals', { authorization: `Bearer ${METRICS_TOKEN.toUpperCase()}` }],
  ['with the token as a password', { authorization: `Basic ${Buffer.from(`x:${METRICS_TOKEN}`).toString('base64')}` }],
  ['with the token in a cookie', { cookie: `token=${METRICS_TOKEN}` }],
  ['as a trusted proxy says that this machine asks', { 'x-forwarded-for': '127.0.0.1' }],
];

const leaks: Attack[] = [
  ...WRONG_TOKENS.map(([what, headers]) =>
    refused(`metrics ${what}`, ['metrics-forbidden'], (scene) => scene.ask({ path: '/api/metrics', headers })),
  ),
  attack('metrics by HEAD', '403', async (scene) =>
    judge(await scene.ask({ method: 'HEAD', path: '/api/metrics' }), ['403']),
  ),
  attack('paths as labels of metrics', 'none of them', async (scene) => {
    for (let at = 0; at < 20; at++) await scene.ask({ path: `/api/unheard-of-${at}` });
    const { body } = await scene.ask({ path: '/api/metrics', headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
    return unless(
      body.includes('unheard-of') || !body.includes('service_api_requests_total'),
      `${body.split('\n').length} lines`,
    );
  }),
  attack('what an error says of this machine', 'no path, no stack, no name of a program', async (scene) => {
    const answers = [
      await scene.ask({ path: '/api/schedules/%zz' }),
      await scene.register('{'),
      await scene.ask({ path: '/api/session', headers: { signature: 'x', 'signature-input': 'y' } }),
    ];
    const text = answers.map(({ body, headers }) => body + JSON.stringify(headers)).join('');
    return unless(
      /node_modules|\.ts|\.js|at \w+ \(|fastify|express|postgres|\/home|\/work|\/tmp/i.test(text),
      answers.map(seenIn).join(', '),
    );
  }),
  attack('headers that name the server', 'none', async (scene) => {
    const { headers } = await scene.ask({ path: '/api/health' });
    return unless('server' in headers || 'x-powered-by' in headers, 'none');
  }),
  attack('a page of another site that reads answers', 'no Access-Control-Allow-Origin', async (scene) => {
    const { headers } = await scene.ask({ path: '/api/health', headers: { origin: 'https://evil.example' } });
    return unless('access-control-allow-origin' in headers, 'none');
  }),
  attack('a page of another site that asks whether it may send', 'no Access-Control-Allow-Origin', async (scene) => {
    const { headers, status } = await scene.ask({
      method: 'OPTIONS',
      path: '/api/schedules',
      headers: {
        origin: 'https://evil.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    });
    return unless('access-control-allow-origin' in headers, String(status));
  }),
  attack('the page in a frame of another site', 'X-Frame-Options DENY', async (scene) => {
    const { headers } = await scene.ask({ path: '/' });
    return unless(headers['x-frame-options'] !== 'DENY', String(headers['x-frame-options']));
  }),
];

export const limits: Family = {
  title: 'limits, and what leaks',
  attacks: [...evasions, connections, searched, ...leaks],
};
