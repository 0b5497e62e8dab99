import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { openVault, readExecutions, readOrCreateKey, walletTokens } from '@payouts/cli';
import { createSampleToken } from '@payouts/sandbox';
import { until, World } from '@payouts/testing/world';
import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';

const AMOUNT = 1_000_000n;
const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

let world: World;
let mint: Address;
let recipient: KeyPairSigner;
const fileOf = (name: string) => join(world.folder, `${name}.json`);

beforeAll(async () => {
  world = await World.shared();
  const [employer, mintKey] = await Promise.all([readOrCreateKey(fileOf('employer')), generateKeyPairSigner()]);
  recipient = await readOrCreateKey(fileOf('recipient'));
  mint = mintKey.address;
  await world.fund(employer.address);
  const holder = employer.address;
  await createSampleToken(world.ledgers, { payer: world.admin, mint: mintKey, holder, amount: AMOUNT * 100n });
  await Promise.all([openVault(world.ledgers, employer, mint), world.startCoordinator()]);
});
afterAll(() => world?.stop());

/** Runs an example as its reader would; what it prints. */
async function example(name: string, ...words: readonly string[]): Promise<string> {
  const file = resolve(import.meta.dirname, '../../examples', `${name}.ts`);
  const node = ['--conditions=@payouts/source', '--import', TSX, file, ...words];
  const env = { ...process.env, PAYOUT_API: world.apiUrl, PAYOUT_RPC: world.urls.baseRpcUrl };
  const { stdout } = await promisify(execFile)(process.execPath, node, { cwd: world.folder, env });
  return stdout.trim();
}

it('the examples create a payroll, check its payslips and withdraw what it paid', async () => {
  const colleague = (await generateKeyPairSigner()).address;
  const payroll = [`${recipient.address}=${AMOUNT}`, `${colleague}=${AMOUNT * 2n}`];
  const schedule = await example('create-payroll', fileOf('employer'), mint, ...payroll);
  await until(
    async () => (await readExecutions(world.apiUrl, schedule as Address)).find(({ state }) => state === 'settled'),
    'the first window to settle',
    60_000,
  );
  const checked = await example('check-payslips', fileOf('recipient'), schedule, '0');
  expect(checked).toBe(`${AMOUNT} base units: sound`);

  const wallet = (await generateKeyPairSigner()).address;
  expect(await example('withdraw', fileOf('recipient'), wallet)).toContain(`${AMOUNT} base units of ${mint}`);
  const arrived = async () => ((await walletTokens(world.ledgers, wallet, mint)) === AMOUNT ? true : undefined);
  await until(arrived, 'the tokens to arrive', 60_000);
});
