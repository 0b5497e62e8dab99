import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Loopback } from '@payouts/testing/loopback';
import { metricIn, readMetrics } from '@payouts/testing/metrics';
import { seed } from '@payouts/testing/seed';
import { somePayees } from '@payouts/testing/wallets';
import { type Employer, World } from '@payouts/testing/world';
import { generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { type ChooseSigner, SIGN_THIS, startPatientProxy } from './patientProxy.ts';

const TOKEN = 'token-of-the-schemathesis-run';
const TIMEOUT = 10 * 60_000;
/** Cases an operation and a phase; the pinned seed repeats what has passed, the run's own looks further. */
const EXAMPLES = 25;
const PINNED_SEED = 20_260_101;
const program = fileURLToPath(new URL('../../.toolchain/python/bin/schemathesis', import.meta.url));
const besides = (name: string) => fileURLToPath(new URL(`./schemathesis/${name}`, import.meta.url));

let world: World;
let employer: Employer;
let recipient: KeyPairSigner;
let proxy: Loopback | undefined;

beforeAll(async () => {
  if (!existsSync(program)) throw new Error(`Schemathesis is not here: npm test puts it to ${program}.`);
  [world, recipient] = await Promise.all([World.start(), generateKeyPairSigner()]);
});
afterEach(async () => {
  await proxy?.stop();
  proxy = undefined;
  await world.stopCoordinator();
});

/** Starts the service on an empty database, with one schedule that has been paid; returns its settings. */
async function startService(more: Readonly<Record<string, string>> = {}): Promise<Readonly<Record<string, string>>> {
  const DATABASE_URL = await world.createDatabase();
  const settings = { DATABASE_URL, PAYLOAD_KEY: world.payloadKey, METRICS_AUTH_TOKEN: TOKEN, ...more };
  await world.startCoordinator(settings);
  const [amount, others] = [1_000_003n, await somePayees(4, 1_000_003n)];
  employer = await world.employer([{ recipient: recipient.address, amount }, ...others], { executions: 1 });
  await world.registerAndSettle(employer);
  return settings;
}

/** Runs Schemathesis against the service; the test fails with all it prints if it finds anything. */
async function run(of: number, options: readonly string[] = [], signerOf?: ChooseSigner): Promise<void> {
  proxy ??= await startPatientProxy(world.apiUrl, signerOf);
  const { url } = proxy;
  const args = ['--config-file', besides('schemathesis.toml'), 'run', `${world.apiUrl}/api/openapi.json`, '--url', url];
  const bounds = ['--checks', 'all', '--max-examples', String(EXAMPLES), '--seed', String(of), '--no-color'];
  // Longer than the proxy asks again.
  const patient = ['--request-timeout', '300'];
  const child = spawn(program, [...args, ...bounds, ...patient, ...options], {
    cwd: world.folder,
    env: {
      ...process.env,
      SCHEMATHESIS_HOOKS: besides('hooks.py'),
      KNOWN_ADDRESSES: [employer.schedule, recipient.address].join(),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const output of [child.stdout, child.stderr]) output.on('data', (chunk: Buffer) => (said += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  console.log(said.slice(said.lastIndexOf('Test cases:')).trim());
  expect(code, `seed ${of}\n${said.slice(-20_000)}`).toBe(0);
}

/** Beyond the pinned seed. What else a run does is the same for every seed. */
const FUZZING = ['--phases', 'fuzzing'];

it(
  'agrees with the document, asked by nobody in particular',
  async () => {
    await startService({ DASHBOARD_PUBLIC: 'true' });
    await run(PINNED_SEED);
    await run(seed, FUZZING);
  },
  TIMEOUT,
);

it(
  'agrees with the document, asked by the operator, the employer and a recipient',
  async () => {
    // Somebody else than those who are paid: an operator's address stands in the log.
    const operator = await generateKeyPairSigner();
    await startService({ OPERATORS: operator.address });
    const isOperators = (path: string) => /^\/api\/(overview|series|runs|reconcile)/.test(path);
    const isTheirs = (path: string) => path.includes(recipient.address) || path.includes('/me');
    const signerOf = (path: string) => (isOperators(path) ? operator : isTheirs(path) ? recipient : employer.signer);
    const authorized = ['--header', `Authorization: Bearer ${TOKEN}`, '--header', `Signature: ${SIGN_THIS}`];
    await run(PINNED_SEED, authorized, signerOf);
    await run(seed, [...FUZZING, ...authorized], signerOf);
  },
  TIMEOUT,
);

it(
  'agrees with the document where the limits refuse most requests',
  async () => {
    // The wait for the payment would use up what may be read.
    const settings = await startService();
    await world.stopCoordinator();
    const limits = { READS_PER_MINUTE: '30', REGISTRATIONS_PER_MINUTE: '5', REGISTRATIONS_AT_A_TIME: '1' };
    await world.startCoordinator({ ...settings, ...limits });
    // A limit decides before anything else is looked at, a missing header among it.
    const unlooked = ['--exclude-checks', 'missing_required_header'];
    await run(PINNED_SEED, ['--phases', 'coverage,fuzzing', ...unlooked]);
    const metrics = await readMetrics(world.apiUrl, TOKEN);
    for (const route of ['/api/schedules', '/api/schedules/:schedulePda']) {
      const limited = [`route="${route}"`, 'outcome="limited"'];
      expect(metricIn(metrics, 'service_api_rate_limit_decisions_total', ...limited)).toBeGreaterThan(0);
    }
  },
  TIMEOUT,
);
