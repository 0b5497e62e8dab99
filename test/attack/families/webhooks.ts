import { createServer as createHttp } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Attack, attack, type Family, judge, refused, unless, type Verdict } from '../attack.ts';
import type { Scene } from '../scene.ts';

/** Milliseconds in which a message is tried. */
const TRIED_WITHIN_MS = 60_000;

type Delivery = { readonly attempts: readonly { readonly outcome: string }[] };

/** Has the employer's service tell an address something; what came of the first try, or the refusal to register it. */
async function deliver(scene: Scene, url: string): Promise<Verdict & { readonly outcomeOfTry?: string }> {
  const { employer } = scene.service;
  const path = scene.of(employer, '/webhooks');
  const created = await scene.signed(employer.signer, { method: 'POST', path, body: JSON.stringify({ url }) });
  if (created.status !== 201) return judge(created, ['invalid-webhook', 'invalid-body']);
  const { id } = JSON.parse(created.body) as { id: string };
  try {
    await scene.signed(employer.signer, { method: 'POST', path: `${path}/${id}/test` });
    for (const until = Date.now() + TRIED_WITHIN_MS; Date.now() < until; await pause(50)) {
      const { body } = await scene.signed(employer.signer, { path: `${path}/${id}/deliveries` });
      const { deliveries } = JSON.parse(body) as { deliveries: Delivery[] };
      const outcome = deliveries[0]?.attempts[0]?.outcome;
      if (outcome !== undefined)
        return { outcome: outcome === 'forbidden' ? 'refused' : 'succeeded', seen: outcome, outcomeOfTry: outcome };
    }
    return { outcome: 'otherwise', seen: 'not tried' };
  } finally {
    await scene.signed(employer.signer, { method: 'DELETE', path: `${path}/${id}` });
  }
}

/** Listens on every address of this machine, and counts who comes. */
async function listening(): Promise<{ readonly port: number; readonly server: Server; came: number }> {
  const server = createServer((socket) => {
    seen.came += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '::', resolve));
  const seen = { port: (server.address() as AddressInfo).port, server, came: 0 };
  return seen;
}

/** A host that is this machine, or of a network that no webhook may be in, however it is written. */
const inside = (host: string, wasFound = false): Attack =>
  attack(
    `a webhook at ${host}`,
    'forbidden or invalid-webhook',
    async (scene) => {
      const own = await listening();
      try {
        const verdict = await deliver(scene, `https://${host}:${own.port}/`);
        return own.came > 0 ? unless(true, 'it came') : verdict;
      } finally {
        own.server.close();
      }
    },
    { needs: ['public-webhooks'], wasFound },
  );

/** A name that resolves to this machine: names of which nothing is known here are not found, which is no success. */
const named = (host: string): Attack =>
  attack(
    `a webhook at the name ${host}`,
    'nobody comes',
    async (scene) => {
      const own = await listening();
      try {
        const { outcome, seen } = await deliver(scene, `https://${host}:${own.port}/`);
        return own.came > 0
          ? unless(true, 'it came')
          : { outcome: outcome === 'otherwise' ? outcome : 'refused', seen };
      } finally {
        own.server.close();
      }
    },
    { needs: ['public-webhooks'] },
  );

const HOSTS = [
  '127.0.0.1',
  '127.1',
  '127.255.255.254',
  '0.0.0.0',
  '0',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '017700000001',
  '0177.0.0.1',
  '127.0.0.1.',
  '%31%32%37.0.0.1',
  '１２７.0.0.1',
  '127。0。0。1',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:7f00:1]',
  '[64:ff9b::7f00:1]',
  '[::ffff:0:7f00:1]',
  '[2002:7f00:1::]',
  '[2001::7f00:1]',
  '[fe80::1]',
  '[fc00::1]',
  '[fd00::1]',
  '[ff02::1]',
  '[fec0::1]',
  '[::ffff:169.254.169.254]',
  '169.254.169.254',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '100.64.0.1',
  '198.18.0.1',
  '192.0.2.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '192.88.99.1',
];
/** IPv4 addresses in IPv6 ones in the form that has been given up. */
const COMPATIBLE = ['[::7f00:1]', '[::127.0.0.1]', '[::a9fe:a9fe]'];

const NAMES = ['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'ip6-localhost', 'ip6-loopback'];

const url = (text: string): Attack =>
  refused(
    `a webhook at ${text}`,
    ['invalid-webhook', 'invalid-body'],
    (scene) =>
      scene.signed(scene.service.employer.signer, {
        method: 'POST',
        path: scene.of(scene.service.employer, '/webhooks'),
        body: JSON.stringify({ url: text }),
      }),
    { needs: ['public-webhooks'] },
  );

const URLS = [
  'http://payroll.example.com/',
  'ftp://payroll.example.com/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:6379/_INFO',
  'data:text/plain,x',
  'javascript:alert(1)',
  'ws://payroll.example.com/',
  'unix:/var/run/docker.sock',
  '//payroll.example.com/',
  'payroll.example.com',
  'https://',
  'https://user:password@payroll.example.com/',
  'https://payroll.example.com/#x',
  'https://127.0.0.1:99999/',
  'https://payroll.example.com:443:80/',
  'https://[::1/',
  `https://payroll.example.com/${'x'.repeat(2_100)}`,
  ' ',
];

/** Where webhooks may be on this machine: what a receiver answers must not lead on. */
const redirect = (status: number): Attack =>
  attack(
    `a receiver that answers ${status} and names another one of this machine`,
    'it is not followed',
    async (scene) => {
      const own = await listening();
      const receiver = createHttp((_, response) =>
        response.writeHead(status, { location: `http://127.0.0.1:${own.port}/` }).end(),
      );
      await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
      try {
        const { outcomeOfTry } = await deliver(scene, `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`);
        return unless(own.came > 0 || outcomeOfTry !== 'redirected', outcomeOfTry ?? 'not tried');
      } finally {
        own.server.close();
        receiver.close();
        receiver.closeAllConnections();
      }
    },
    { needs: ['private-webhooks'] },
  );

const many = attack('eleven webhooks of one vault', 'the eleventh is refused', async (scene) => {
  const { employer } = scene.service;
  const path = scene.of(employer, '/webhooks');
  const ids: string[] = [];
  let last = '';
  for (let at = 0; at < 11; at++) {
    const answer = await scene.signed(employer.signer, {
      method: 'POST',
      path,
      body: '{"url":"https://payroll.example.com/"}',
    });
    last = answer.code ?? String(answer.status);
    if (answer.status === 201) ids.push((JSON.parse(answer.body) as { id: string }).id);
  }
  for (const id of ids) await scene.signed(employer.signer, { method: 'DELETE', path: `${path}/${id}` });
  return unless(last !== 'invalid-webhook', last);
});

export const webhooks: Family = {
  title: 'webhooks into private networks',
  attacks: [
    ...HOSTS.map((host) => inside(host)),
    ...COMPATIBLE.map((host) => inside(host, true)),
    ...NAMES.map(named),
    ...URLS.map(url),
    ...[301, 302, 303, 307, 308].map(redirect),
    many,
  ],
};
