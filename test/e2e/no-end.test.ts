import { join } from 'node:path';
import { balanceProof, readOrCreateKey, writePayroll } from '@payouts/cli';
import { fetchSchedule, findVaultAddress, getReserveWindowsInstruction, sendToBase } from '@payouts/client';
import { SAMPLE_DECIMALS } from '@payouts/sandbox';
import { commandsBy, payoutHere } from '@payouts/testing/payout';
import { freshWallet } from '@payouts/testing/wallets';
import { HOUR, until, World } from '@payouts/testing/world';
import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';

const UNIT = 10n ** BigInt(SAMPLE_DECIMALS);
/** What each window pays. */
const EACH = 1_750n * UNIT;

type Shown = {
  readonly status: string;
  readonly window: string;
  readonly executionsLeft: number;
  readonly keeps: number;
  readonly reservedWindows: number;
};

let world: World;
let env: Record<string, string>;
let keypair: string;
let employer: KeyPairSigner;
let mint: Address;
let schedule: Address;

const { done, refused, json } = commandsBy((...words) =>
  payoutHere(env, ...words, ...(['runs', 'watch'].includes(words[0] ?? '') ? [] : ['--keypair', keypair])),
);

beforeAll(async () => {
  world = await World.start();
  await world.startCoordinator({ HOLD_RECHECK_MS: '200', METRICS_PUBLIC: 'true' });
  const book = join(world.folder, 'book');
  env = { PAYOUT_RPC: world.urls.baseRpcUrl, PAYOUT_API: world.apiUrl, PAYOUT_BOOK: book, NO_COLOR: '1' };
  keypair = join(world.folder, 'employer.json');
  employer = await readOrCreateKey(keypair);
  mint = await world.giveToken(employer.address, 20_000n * UNIT);
  await done('vault', 'init', '--token', mint, '--yes');
});

const shown = () => json<Shown>('schedule', 'show', schedule);
const deposit = (amount: string) => done('vault', 'deposit', amount, '--token', mint, '--yes');

/** What the service foretells, and whether it tells that money ends. */
async function foretold(): Promise<{ readonly sentence: string | undefined; readonly isLow: boolean }> {
  const response = await fetch(`${world.apiUrl}/api/schedules/${schedule}`);
  const { funding, conditions } = (await response.json()) as {
    readonly funding: { readonly sentence: string } | null;
    readonly conditions: readonly { readonly kind: string }[];
  };
  return { sentence: funding?.sentence, isLow: conditions.some(({ kind }) => kind === 'funding.low') };
}

const tells = (sentence: RegExp, isLow: boolean) =>
  until(async () => {
    const now = await foretold();
    return sentence.test(now.sentence ?? '') && now.isLow === isLow;
  }, `the service to tell ${sentence}`);

/** An hour later. */
const nextPayday = () => world.localnet.admin.advanceClock(HOUR);

async function paysWindow(window: number): Promise<void> {
  const paid = async () => (await fetchSchedule(world.ledgers.base, schedule)).data.window > BigInt(window);
  await until(paid, `window ${window} to be paid`);
  await checkMoney();
}

async function checkMoney(): Promise<void> {
  const vaults = [await findVaultAddress(employer.address, mint)];
  const { violations } = await balanceProof(world.ledgers, { mint, vaults, schedules: [schedule] });
  expect(violations).toEqual([]);
}

it('promises a salary without an end, and reserves no more than it keeps', async () => {
  await deposit('4,400');
  const people = await Promise.all(Array.from({ length: 3 }, freshWallet));
  const amounts = [1_000n, 500n, 250n];
  const payroll = join(world.folder, 'salaries.csv');
  const lines = people.map((recipient, at) => ({ recipient, amount: (amounts[at] as bigint) * UNIT }));
  await writePayroll(payroll, lines, SAMPLE_DECIMALS);
  const create = ['schedule', 'create', payroll, '--token', mint, '--every', '1h', '--timeout', '10m', '--yes'];
  expect(await refused(...create, '--executions', '4', '--no-end')).toBe('wrong-usage');
  expect(await refused(...create, '--executions', '4', '--keep', '2')).toBe('wrong-usage');
  expect(await refused(...create, '--executions', '4', '--no-end', '--keep', '3')).toBe('available-short');
  ({ schedule } = await json<{ schedule: Address }>(...create, '--executions', '4', '--no-end', '--keep', '2'));
  expect(await shown()).toMatchObject({ keeps: 2, status: 'active' });
});

it('pays it, and asks for more money as soon as the vault can’t keep what was promised', async () => {
  await paysWindow(0);
  expect(await shown()).toMatchObject({ reservedWindows: 1, executionsLeft: 3 });
  await tells(/^covers 1 more window; short of 850\.00 /, true);
  expect(await done('schedule', 'show', schedule)).toMatch(/end +none\n.*reserved +1 of the 2 windows that it keeps/);
});

it('waits when the vault is empty, says what is missing, and goes on when money comes', async () => {
  await nextPayday();
  await paysWindow(1);
  await nextPayday();
  const { errorDetail } = await world.runIn({ schedule }, 'held', { window: 2, errorCode: 'funding-short' });
  expect(errorDetail).toMatch(/^The vault covers no more windows; short of 850\.00 \S+ now\.$/);
  expect(await shown()).toMatchObject({ window: '2', reservedWindows: 0 });
  await deposit('5,000');
  await paysWindow(2);
  // The money is there; of the four windows whose fees were prepaid one is left.
  expect(await shown()).toMatchObject({ reservedWindows: 1, executionsLeft: 1 });
  await tells(/^covers 1 more window; the fees of the next one, due on .+, are not prepaid$/, true);
});

it('waits for fees in the same way, and lets anybody reserve what its employer has promised', async () => {
  await nextPayday();
  await paysWindow(3);
  await nextPayday();
  await world.runIn({ schedule }, 'held', { window: 4, errorCode: 'funding-short' });
  await done('schedule', 'fund', schedule, '--executions', '3', '--yes');
  await paysWindow(4);
  const before = await shown();
  expect(before).toMatchObject({ reservedWindows: 0, executionsLeft: 2 });
  await deposit('9,000');
  const vault = await findVaultAddress(employer.address, mint);
  const stranger = await generateKeyPairSigner();
  await world.fund(stranger.address);
  const reserve = getReserveWindowsInstruction({ vault, schedule });
  await sendToBase(world.ledgers, [reserve], stranger);
  expect(await shown()).toMatchObject({ reservedWindows: 2 });
  await expect(sendToBase(world.ledgers, [reserve], stranger)).rejects.toThrow();
  await checkMoney();
});

it('ends when its employer ends it, and gives back what no window has opened with', async () => {
  const said = await done('schedule', 'cancel', schedule, '--yes');
  expect(said).toContain('Cancelled.');
  expect(await shown()).toMatchObject({ status: 'cancelled', reservedWindows: 0 });
  const left = 18_400n * UNIT - 5n * EACH;
  expect(await json('vault', 'show', '--token', mint)).toMatchObject({ available: String(left), reserved: '0' });
  await done('schedule', 'close', schedule, '--yes');
  await expect(fetchSchedule(world.ledgers.base, schedule)).rejects.toThrow();
});
