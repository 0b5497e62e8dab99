import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { readOrCreateKey } from '@payouts/cli';
import { freshWallet } from '@payouts/testing/wallets';
import { World } from '@payouts/testing/world';
import type { Address, KeyPairSigner } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';

const AMOUNT = 1_000_000n;
const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

let world: World;
let mint: Address;
let recipient: KeyPairSigner;
const fileOf = (name: string) => join(world.folder, `${name}.json`);

beforeAll(async () => {
  world = await World.shared();
  const employer = await readOrCreateKey(fileOf('employer'));
  recipient = await readOrCreateKey(fileOf('recipient'));
  [{ mint }] = await Promise.all([world.payer(employer), world.startCoordinator()]);
});

/** Runs an example as its reader would; what it prints. */
async function example(name: string, ...words: readonly string[]): Promise<string> {
  const file = resolve(import.meta.dirname, '../../examples', `${name}.ts`);
  const node = ['--conditions=@payouts/source', '--import', TSX, file, ...words];
  const env = { ...process.env, PAYOUT_API: world.apiUrl, PAYOUT_RPC: world.urls.baseRpcUrl };
  const { stdout } = await promisify(execFile)(process.execPath, node, { cwd: world.folder, env });
  return stdout.trim();
}

it('the examples create a payroll, check its payslips and withdraw what it paid', async () => {
  const payroll = [`${recipient.address}=${AMOUNT}`, `${await freshWallet()}=${AMOUNT * 2n}`];
  const schedule = await example('create-payroll', fileOf('employer'), mint, ...payroll);
  await world.runIn({ schedule: schedule as Address }, 'settled');
  const checked = await example('check-payslips', fileOf('recipient'), schedule, '0');
  expect(checked).toBe(`${AMOUNT} base units: sound`);

  const wallet = await freshWallet();
  expect(await example('withdraw', fileOf('recipient'), wallet)).toContain(`${AMOUNT} base units of ${mint}`);
  await world.arrived(wallet, { mint }, AMOUNT, 60_000);
});
