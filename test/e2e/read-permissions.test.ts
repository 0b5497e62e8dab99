import { readFileSync } from 'node:fs';
import { json } from 'node:stream/consumers';
import { runCommand } from '@payouts/testing/command';
import { listPages } from '@payouts/testing/listPages';
import { type Loopback, serveLoopback } from '@payouts/testing/loopback';
import { metricIn } from '@payouts/testing/metrics';
import { somePayees } from '@payouts/testing/wallets';
import { until, World } from '@payouts/testing/world';
import { beforeAll, expect, it } from 'vitest';

const METRIC = 'service_layer_read_permissions';
/** The instruction that is tried, and one that the published permission program has. */
const TRIED = Buffer.from([6, 0, 0, 0, 0, 0, 0, 0, 1]);
const EXISTING = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 1]);

let world: World;
let knowing: Loopback;
beforeAll(async () => {
  world = await World.start();
  knowing = await layerThatKnows(world.localnet.layerRpcUrl);
});

/** The real layer as if its permission program knew the instruction: it gets one that it does know in its place. */
const layerThatKnows = (upstream: string): Promise<Loopback> =>
  serveLoopback(async (request, response) => {
    const call = (await json(request)) as { method: string; params: [string] };
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

/** The log's lines that hold this, once there are so many: one may come to the file after what it tells of. */
const logged = (text: string, atLeast: number): Promise<readonly string[]> =>
  until(async () => {
    const lines = readFileSync(world.coordinatorLog, 'utf8').split('\n').slice(0, -1);
    const found = lines.filter((line) => line.includes(text));
    return found.length >= atLeast && found;
  }, `${atLeast} lines with ${text}`);

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
    () => knowing.url,
    `${METRIC}{place="here"} 1`,
    'the execution layer has read permissions',
    '✔ execution layer: it has read permissions',
  ],
])('a layer %s is told by trying it', async (_, url, metric, message, finding) => {
  const settings = { LAYER_RPC_URL: url(), METRICS_PUBLIC: 'true' };
  await world.startCoordinator(settings);
  await until(async () => (await world.metrics()).split('\n').includes(metric), metric);
  await logged(`"msg":"${message}"`, 1);
  await world.stopCoordinator();
  const { printed } = await runCommand({ ...world.settings, ...settings }, 'config', 'check');
  expect(printed.split('\n')).toContain(finding);
});

it('pays everybody when the layer refuses to set read permissions, and says so', async () => {
  await world.startCoordinator({ LAYER_RPC_URL: knowing.url, METRICS_PUBLIC: 'true' });
  const employer = await world.employer(await somePayees(3, 1_000n), { executions: 1 });
  await world.register(employer);
  await world.settledInFull(employer, 0n);
  // The window's batch before its claims, and the pages of its people, which these make, after them.
  const missing = [1, (await listPages(world, employer)).length];
  const counted = metricIn(await world.metrics(), 'service_layer_permissions_set_total', 'result="missing"');
  expect(counted).toBe(missing.reduce((sum, count) => sum + count));
  const said = await logged('read permissions are missing; the next window tries again', 2);
  expect(said.map((line) => (JSON.parse(line) as { count: number }).count)).toEqual(missing);
  for (const line of said) expect(line).toContain('The ledger refused the setting of read permissions');
  await world.checkMoneyRules(employer);
});
