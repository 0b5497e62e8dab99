import { type Attack, attack, type Family, refused, seenIn, unless } from '../attack.ts';
import { registrationOf, type Scene } from '../scene.ts';

/** What no path may bring without the token: names of metrics, lines of files of this machine. */
const FORBIDDEN = /service_api_requests_total|root:x:0|"name":\s*"payout|BEGIN [A-Z ]*PRIVATE KEY/;

const path = (target: string): Attack =>
  attack(`GET ${target.length > 60 ? `${target.slice(0, 60)}…` : target}`, 'nothing of it', async (scene) => {
    const [answer] = await scene.raw(`GET ${target} HTTP/1.1\r\nHost: ${scene.authority}\r\nConnection: close\r\n\r\n`);
    return unless(
      answer === undefined || answer.status >= 500 || FORBIDDEN.test(answer.body),
      answer === undefined ? 'no answer' : seenIn(answer),
    );
  });

const TRICKS = [
  '/api/health/../metrics',
  '/api/./metrics',
  '/api//metrics',
  '/api/health/%2e%2e/metrics',
  '/api%2fmetrics',
  '/API/METRICS',
  '/api/metrics/',
  '/api/metrics;a=b',
  '/api/metrics%00',
  '/api/metrics?token=token-of-the-attacked-service',
  '/api/metrics#x',
  '/api/metrics%20',
  '/api/metrics/.',
  '/api/metrics.json',
  '\\api\\metrics',
  '/../../../../etc/passwd',
  '/assets/../../../../../../etc/passwd',
  '/assets/..%2f..%2f..%2f..%2fetc/passwd',
  '/assets/%2e%2e/%2e%2e/package.json',
  '/assets/....//....//package.json',
  '/assets/..%5c..%5cpackage.json',
  '/assets/%c0%ae%c0%ae/package.json',
  '/assets/',
  '/assets/.env',
  '/.git/config',
  '/.env',
  '/package.json',
  '/api/docs/static/../../../../package.json',
  '/api/docs/static/..%2f..%2fpackage.json',
  '/api/docs/%2e%2e/metrics',
  '/data/payload.key',
  '/debug/pprof',
  '/admin',
  '/api/graphql',
  '//evil.example/api/metrics',
  '/api/schedules/%2e%2e/metrics',
  '/api/schedules/%zz',
  '/api/schedules/%e0%a4%a',
  `/api/schedules/${'a'.repeat(10_000)}`,
  '/api/schedules/%00',
  '/%',
];

/** A read of the employer's list with an odd query, which no signature makes right. */
const query = (text: string, codes: readonly string[] = ['invalid-query'], wasFound = false) =>
  refused(
    `the list with the query ${text.length > 40 ? `${text.slice(0, 40)}…` : text}`,
    codes,
    async (scene) => {
      const target = `${scene.of(scene.service.employer, '/recipients')}${text}`;
      const headers = await scene.sign(scene.service.employer.signer, { path: target });
      return scene.ask({ path: target, headers });
    },
    { wasFound },
  );

const openQuery = (text: string, rest: string) =>
  refused(`${rest === '' ? 'a schedule' : 'its runs'} with the query ${text}`, ['invalid-query'], (scene) =>
    scene.ask({ path: `${scene.of(scene.service.employer, rest)}${text}` }),
  );

const queries: Attack[] = [
  ...[
    '?limit=0',
    '?limit=-1',
    '?limit=1000000000',
    '?limit=1e3',
    '?limit=5&limit=6',
    '?limit[]=5',
    '?cursor=%27%20or%201=1--',
    '?cursor=..%2f',
    '?cursor=99999999999999999999999',
    '?proofs=%3Cscript%3E',
  ].map((text) => query(text)),
  query('?all=true'),
  query('?__proto__[limit]=5'),
  query(`?${'a'.repeat(5_000)}=1`),
  ...['?x=1', '?cursor=1%27', '?limit=1&limit=2'].map((text) => openQuery(text, '/executions')),
  openQuery('?signature=x', ''),
  openQuery('?format=csv', ''),
  ...['/api/health', '/api/metrics', '/api/openapi.json', '/api/docs'].map((at) =>
    refused(`${at} with a query that it does not know`, ['invalid-query'], (scene) => scene.ask({ path: `${at}?x=1` })),
  ),
  refused('a list with a query that nobody knows', ['invalid-query'], (scene) =>
    scene.register(registrationOf(scene.service.employer), {}, { path: '/api/schedules?dryRun=true' }),
  ),
];

const overriding = (name: string) =>
  refused(
    `a grant ended by GET with ${name}: DELETE`,
    ['method-not-allowed', 'not-found', 'invalid-query', 'signature-missing'],
    (scene: Scene) =>
      scene.ask({
        path: scene.of(scene.service.employer, `/grants/${scene.ids.grant}`),
        headers: { [name]: 'DELETE' },
      }),
  );

const METHODS: Attack[] = [
  ...['x-http-method-override', 'x-http-method', 'x-method-override'].map(overriding),
  refused('a path that x-rewrite-url names instead', ['not-found'], (scene) =>
    scene.ask({ path: '/api/nothing', headers: { 'x-rewrite-url': '/api/metrics', 'x-original-url': '/api/metrics' } }),
  ),
  ...['PUT', 'PATCH', 'DELETE', 'PROPFIND'].map((method) =>
    refused(`${method} of a schedule`, ['method-not-allowed'], (scene) =>
      scene.ask({ method, path: scene.of(scene.service.employer) }),
    ),
  ),
];

export const paths: Family = {
  title: 'paths, queries and methods',
  attacks: [...TRICKS.map(path), ...queries, ...METHODS],
};
