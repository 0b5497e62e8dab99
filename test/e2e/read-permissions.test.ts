import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runCommand } from '@payouts/testing/command';
import { payeesWithKeys } from '@payouts/testing/wallets';
import { until, World } from '@payouts/testing/world';
import { afterAll, beforeAll, expect, it } from 'vitest';

const METRIC = 'service_layer_read_permissions';
/** The instruction that is tried, and one that the published permission program has. */
const TRIED = Buffer.from([6, 0, 0, 0, 0, 0, 0, 0, 1]);
const EXISTING = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 1]);

let world: World;
let knowing: Server;
beforeAll(async () => {
  world = await World.start();
  knowing = await layerThatKnows(world.localnet.layerRpcUrl);
});
afterAll(async () => {
  knowing?.closeAllConnections();
  knowing?.close();
  await world?.stop();
});

/** The real layer as if its permission program knew the instruction: it gets one that it does know in its place. */
async function layerThatKnows(upstream: string): Promise<Server> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const call = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { method: string; params: [string] };
    if (call.method === 'simulateTransaction') {
      const wire = Buffer.from(call.params[0], 'base64');
      const at = wire.indexOf(TRIED);
      if (at >= 0) EXISTING.copy(wire, at);
      call.params[0] = wire.toString('base64');
    }
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(upstream, { method: 'POST', headers, body: JSON.stringify(call) });
    response.writeHead(answer.status, headers).end(await answer.text());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

it.each<[string, () => string, string, string, string]>([
  [
    'without read permissions on this machine',
    () => world.localnet.layerRpcUrl,
    `${METRIC}{place="here"} 0`,
    'the execution layer on this machine has no read permissions',
    '✔ execution layer: it has no read permissions, and runs on this machine',
  ],
  [
    'without read permissions somewhere else',
    () => world.localnet.layerRpcUrl.replace('127.0.0.1', '[::ffff:127.0.0.1]'),
    `${METRIC}{place="elsewhere"} 0`,
    'the execution layer has no read permissions: whoever may call it can read private balances',
    '! execution layer: it has no read permissions: whoever may call it can read private balances',
  ],
  [
    'with read permissions',
    () => `http://127.0.0.1:${(knowing.address() as AddressInfo).port}`,
    `${METRIC}{place="here"} 1`,
    'the execution layer has read permissions',
    '✔ execution layer: it has read permissions',
  ],
])(
  'a layer %s is told by trying it',
  async (_, url, metric, message, finding) => {
    const settings = { LAYER_RPC_URL: url(), METRICS_PUBLIC: 'true' };
    await world.startCoordinator(settings);
    await until(async () => {
      const text = await (await fetch(`${world.apiUrl}/api/metrics`)).text();
      return text.split('\n').find((line) => line === metric);
    }, metric);
    expect(readFileSync(world.coordinatorLog, 'utf8')).toContain(`"msg":"${message}"`);
    await world.stopCoordinator();
    const { printed } = await runCommand({ ...world.settings, ...settings }, 'config', 'check');
    expect(printed.split('\n')).toContain(finding);
  },
  300_000,
);

it('pays everybody when the layer refuses to set read permissions, and says so', async () => {
  const LAYER_RPC_URL = `http://127.0.0.1:${(knowing.address() as AddressInfo).port}`;
  await world.startCoordinator({ LAYER_RPC_URL, METRICS_PUBLIC: 'true' });
  const employer = await world.employer((await payeesWithKeys(3, 1_000n)).payees, { executions: 1 });
  await world.register(employer);
  const { claims } = await world.settled(employer, 0n);
  expect(claims).toEqual({ paid: 3, total: 3 });
  const text = await (await fetch(`${world.apiUrl}/api/metrics`)).text();
  expect(text.split('\n')).toContain('service_layer_permissions_set_total{result="missing"} 4');
  const lines = readFileSync(world.coordinatorLog, 'utf8').split('\n');
  const said = lines.filter((line) => line.includes('read permissions are missing; the next window tries again'));
  expect(said.map((line) => (JSON.parse(line) as { count: number }).count)).toEqual([1, 3]);
  for (const line of said) expect(line).toContain('The ledger refused the setting of read permissions');
  await world.checkMoneyRules(employer);
}, 300_000);
