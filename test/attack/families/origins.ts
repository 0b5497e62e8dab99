import { type Attack, attack, type Family, refused, unless } from '../attack.ts';
import type { Scene, Session } from '../scene.ts';
import { TRUSTED_PROXY } from '../service.ts';
import { sign } from '../signer.ts';
import { type Answer, type Headers, requestBytes } from '../wire.ts';

const EVIL = 'http://evil.example';
/** Answered 200 to whoever signs, which is what each of these wants. */
const PATH = '/api/session';
const MISMATCH = ['public-origins-mismatch'] as const;
const REVIEWED = { wasFound: true } as const;

/** A request signed for an origin, by a session if there is one, and sent with headers of its own. */
async function phished(
  scene: Scene,
  signedFor: string,
  headers: Headers,
  { session, from }: { readonly session?: Session; readonly from?: string } = {},
): Promise<Answer> {
  const delegation = session === undefined ? {} : { delegation: session.delegation };
  const signed = await sign({ signer: session?.signer ?? scene.stranger, url: `${signedFor}${PATH}`, ...delegation });
  return scene.ask({ path: PATH, headers: { ...signed, ...headers }, ...(from && { from }) });
}

/** What the trusted proxy passes on. */
const passedOn = (scene: Scene, headers: Headers) => ({ 'x-forwarded-for': scene.from, ...headers });

/** A signed request with headers one by one. */
async function raw(scene: Scene, hosts: readonly string[], first = `GET ${PATH} HTTP/1.1`): Promise<Answer> {
  const signed = await sign({ signer: scene.stranger, url: `${scene.url()}${PATH}` });
  const headers = [...hosts.map((host) => ['Host', host] as const), ...Object.entries(signed)];
  const [answer] = await scene.raw(requestBytes(first, headers));
  return answer ?? { status: 0, code: undefined, headers: {}, body: '', ms: 0 };
}

const otherHosts: readonly (readonly [what: string, host: (scene: Scene) => string, wasFound?: true])[] = [
  ['the same name with another port', () => '127.0.0.1:1', true],
  ['this machine’s name without a port', () => 'localhost', true],
  ['a name that begins like a loopback address', (scene) => `127.evil.example:${new URL(scene.url()).port}`, true],
  ['a name that begins like localhost', (scene) => `localhost.evil.example:${new URL(scene.url()).port}`, true],
  ['another loopback name with a dot at its end', (scene) => `localhost.:${new URL(scene.url()).port}`],
];

const hosts: Attack[] = otherHosts.map(([what, host, wasFound = false]) =>
  refused(
    `signed for ${what}, and sent with that Host`,
    MISMATCH,
    (scene) => phished(scene, `http://${host(scene)}`, { host: host(scene) }),
    { wasFound },
  ),
);

const UNTRUSTED = ['x-forwarded-host', 'x-host', 'x-original-host', 'x-http-host-override', 'forwarded'] as const;
const untrusted = UNTRUSTED.map((name) =>
  refused(`signed for another host, which ${name} of anybody names`, ['signature-invalid'], (scene) =>
    phished(scene, EVIL, { [name]: name === 'forwarded' ? 'host=evil.example' : 'evil.example' }),
  ),
);

export const origins: Family = {
  title: 'signed for somebody else',
  attacks: [
    refused(
      'signed for another host, and sent with that Host',
      MISMATCH,
      (scene) => phished(scene, EVIL, { host: 'evil.example' }),
      REVIEWED,
    ),
    refused('signed for another host, and sent with this Host', ['signature-invalid'], (scene) =>
      phished(scene, EVIL, {}),
    ),
    refused('signed for this host, and sent with another Host', MISMATCH, (scene) =>
      phished(scene, scene.url(), { host: 'evil.example' }),
    ),
    refused(
      'signed for another host, which a trusted proxy passes on',
      MISMATCH,
      (scene) => phished(scene, EVIL, passedOn(scene, { 'x-forwarded-host': 'evil.example' }), { from: TRUSTED_PROXY }),
      REVIEWED,
    ),
    refused(
      'two hosts passed on by a trusted proxy, of which one is this',
      [...MISMATCH, 'signature-invalid'],
      (scene) =>
        phished(scene, EVIL, passedOn(scene, { 'x-forwarded-host': `evil.example, ${scene.authority}` }), {
          from: TRUSTED_PROXY,
        }),
    ),
    refused(
      'a sign-in at another page, with its Host',
      MISMATCH,
      async (scene) =>
        phished(
          scene,
          EVIL,
          { host: 'evil.example' },
          { session: await scene.session(scene.service.employer.signer, { origin: EVIL }) },
        ),
      REVIEWED,
    ),
    refused('a sign-in at another page, with this Host', ['delegation-invalid'], async (scene) =>
      phished(
        scene,
        scene.url(),
        {},
        { session: await scene.session(scene.service.employer.signer, { origin: EVIL }) },
      ),
    ),
    refused(
      'a sign-in at another page, which a trusted proxy passes on',
      MISMATCH,
      async (scene) =>
        phished(scene, EVIL, passedOn(scene, { 'x-forwarded-host': 'evil.example' }), {
          session: await scene.session(scene.service.employer.signer, { origin: EVIL }),
          from: TRUSTED_PROXY,
        }),
      REVIEWED,
    ),
    refused('a sign-in at this page over TLS, used without it', ['delegation-invalid'], async (scene) =>
      phished(
        scene,
        scene.url(),
        { 'x-forwarded-proto': 'https' },
        { session: await scene.session(scene.service.employer.signer, { origin: `https://${scene.authority}` }) },
      ),
    ),
    ...hosts,
    ...untrusted,
    refused('a user before the host', [...MISMATCH, 'malformed-request'], (scene) =>
      raw(scene, [`${scene.authority}@evil.example`]),
    ),
    refused(
      'two hosts, the right one first',
      ['malformed-request'],
      (scene) => raw(scene, [scene.authority, 'evil.example']),
      REVIEWED,
    ),
    refused('two hosts, the right one last', ['malformed-request', ...MISMATCH], (scene) =>
      raw(scene, ['evil.example', scene.authority]),
    ),
    refused(
      'the right host twice',
      ['malformed-request'],
      (scene) => raw(scene, [scene.authority, scene.authority]),
      REVIEWED,
    ),
    refused('no host at all', ['malformed-request'], (scene) => raw(scene, []), REVIEWED),
    refused('no host at all, in HTTP/1.0', ['malformed-request', ...MISMATCH], (scene) =>
      raw(scene, [], `GET ${PATH} HTTP/1.0`),
    ),
    refused('an empty host', ['malformed-request', ...MISMATCH], (scene) => raw(scene, [''])),
    refused(
      'a path that names another origin, with this Host',
      ['signature-invalid', 'not-found', 'malformed-request'],
      (scene) => raw(scene, [scene.authority], `GET ${EVIL}${PATH} HTTP/1.1`),
    ),
    attack('an answer for another host that a cache could keep', 'no-store', async (scene) => {
      const answer = await scene.ask({ path: '/api/health', headers: { host: 'evil.example' } });
      const isKept = !String(answer.headers['cache-control']).includes('no-store');
      return unless(isKept || answer.body.includes('evil.example'), String(answer.headers['cache-control']));
    }),
  ],
};
