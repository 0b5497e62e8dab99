import { join } from 'node:path';
import { readOrCreateKey } from '@payouts/cli';
import { addressToBytes } from '@payouts/client';
import { commandsBy, payoutHere } from '@payouts/testing/payout';
import { type Gateway, gatewayOf } from '@payouts/testing/tee/gateway';
import { somePayees } from '@payouts/testing/wallets';
import { type Employer, World } from '@payouts/testing/world';
import type { Address } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';

const RECIPIENTS = 70;
const BLOCKED = 33;
const HELD = 5;

let world: World;
let gateway: Gateway;
let employer: Employer;
const keypair = () => join(world.folder, 'employer.json');

beforeAll(async () => {
  world = await World.start();
  gateway = await gatewayOf(world);
  const payer = await world.payer(await readOrCreateKey(keypair()));
  employer = await world.promise(payer, await somePayees(RECIPIENTS, 7_000n), { executions: 1, batchTimeout: 30 });
  await world.hold(employer, HELD);
  // The layer takes nothing that names the owner of one balance.
  const owner = Buffer.from(addressToBytes(employer.balances[BLOCKED] as Address));
  gateway.refuses = (data) => Buffer.from(data).includes(owner);
});

it('pays everybody else when one recipient can’t be paid and one is held back, reports how many and why, and returns the rest at the batch timeout', async () => {
  await world.startCoordinator({ LAYER_RPC_URL: gateway.url, LAYER_SIGN_IN: 'true' });
  const run = await world.registerAndSettle(employer);
  expect(run.claims).toEqual({ paid: RECIPIENTS - 2, total: RECIPIENTS });
  expect(run.unpaid).toEqual({ count: 2, reasons: { 'claim-refused': 1, held: 1 } });
  const proof = await world.checkMoneyRules(employer);
  expect(proof.vaults[0]).toMatchObject({ available: 14_000n, open: 0n, paid: 7_000n * BigInt(RECIPIENTS - 2) });
  const balances = await world.privateBalances(employer);
  expect(balances.map((amount, index) => [BLOCKED, HELD].includes(index) || amount === 7_000n)).not.toContain(false);
});

it('pays whom the window could not pay once more when the employer says so, not whom they hold back, and nobody a third time unasked', async () => {
  const env = { PAYOUT_RPC: world.urls.baseRpcUrl, PAYOUT_API: world.apiUrl, PAYOUT_BOOK: join(world.folder, 'book') };
  const { json, refused } = commandsBy((...words) => payoutHere(env, ...words, '--keypair', keypair()));
  const unpaid = ['schedule', 'pay-unpaid', employer.schedule, '0'];
  // What fails before it is promised pays nobody, and says so the next time.
  expect(await refused(...unpaid, '--yes', '--proposal', keypair())).toBe('file-exists');
  const { schedule } = await json<{ schedule: Address }>(...unpaid, '--yes');
  const [run] = await world.executions({ schedule });
  expect(run).toMatchObject({ state: 'settled', claims: { paid: 1, total: 1 }, paidAmount: '7000' });
  const slips = await json<{ payslips: number }>(
    'receipt',
    'export',
    schedule,
    '0',
    '--out',
    join(world.folder, 'slips'),
  );
  expect(slips).toMatchObject({ payslips: 1, sum: '7000' });
  expect(await refused(...unpaid, '--yes')).toBe('paid-before');
  expect(await json(...unpaid, '--again', '--dry-run')).toMatchObject({ recipients: 1, total: '7000' });
});
