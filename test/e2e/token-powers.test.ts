import { join } from 'node:path';
import { readOrCreateKey, writePayroll } from '@payouts/cli';
import { findTokenAddress, findVaultAddress, TOKEN_2022_PROGRAM_ADDRESS } from '@payouts/client';
import { SAMPLE_DECIMALS } from '@payouts/sandbox';
import { Failpoints } from '@payouts/testing/failpoints';
import { commandsBy, payoutHere } from '@payouts/testing/payout';
import { createPoweredToken, freezeTokens, pauseToken } from '@payouts/testing/poweredToken';
import { freshWallet } from '@payouts/testing/wallets';
import { World } from '@payouts/testing/world';
import { type Address, fetchEncodedAccount, type KeyPairSigner } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';

const UNIT = 10n ** BigInt(SAMPLE_DECIMALS);
const PAY = 40n * UNIT;
const HOUR = 3_600;
const EMPLOYERS = ['one', 'other'] as const;
type Who = (typeof EMPLOYERS)[number];

let world: World;
let mint: Address;
let keys: Record<Who | 'ada', KeyPairSigner>;
let schedules: Record<Who, Address>;
const failpoints = new Failpoints();

const file = (name: string) => join(world.folder, name);
const by = (who: string) =>
  commandsBy((...words) => {
    const env = { PAYOUT_RPC: world.urls.baseRpcUrl, PAYOUT_API: world.apiUrl, PAYOUT_BOOK: file(`${who}-book`) };
    return payoutHere({ ...env, NO_COLOR: '1' }, ...words, '--keypair', file(`${who}.json`));
  });
const whitelist = commandsBy((...words) =>
  payoutHere({ PAYOUT_RPC: world.urls.baseRpcUrl, NO_COLOR: '1' }, 'governance', 'whitelist', ...words),
);
const vaultOf = (who: Who) => findVaultAddress(keys[who].address, mint);
const run = (who: Who) => ({ schedule: schedules[who] });
const stopped = { errorCode: 'token-stopped' } as const;

beforeAll(async () => {
  world = await World.start();
  await world.startCoordinator({ HOLD_RECHECK_MS: '1000' }, failpoints);
  const key = async (name: string) => [name, await readOrCreateKey(file(`${name}.json`))] as const;
  keys = Object.fromEntries(await Promise.all([...EMPLOYERS, 'ada'].map(key))) as typeof keys;
  const employers = EMPLOYERS.map((who) => keys[who].address);
  for (const employer of employers) await world.fund(employer);
  mint = await createPoweredToken(world, employers, 10_000n * UNIT);
});

/** Two who are paid in an hour, and twice more an hour later each; the second one is held back. */
async function promise(who: Who): Promise<Address> {
  const recipients = [keys.ada.address, await freshWallet()];
  const payees = recipients.map((recipient) => ({ recipient, amount: PAY }));
  await writePayroll(file(`${who}.csv`), payees, SAMPLE_DECIMALS);
  const { done, json } = by(who);
  await done('vault', 'init', '--token', mint, '--yes');
  await done('vault', 'deposit', '1,000', '--token', mint, '--yes');
  const first = `${new Date(Date.now() + HOUR * 1_000).toISOString().slice(0, 16)}Z`;
  const terms = ['--token', mint, '--every', '1h', '--timeout', '10m', '--executions', '3', '--first', first, '--yes'];
  const { schedule } = await json<{ schedule: Address }>('schedule', 'create', file(`${who}.csv`), ...terms);
  await done('schedule', 'hold', schedule, recipients[1] as Address, '--yes');
  return schedule;
}

it('a token over which its issuer has powers is paid in once governance has listed it, knowing what they are', async () => {
  expect(await by('one').refused('vault', 'init', '--token', mint, '--yes')).toBe('token-not-listed');
  const shown = await whitelist.done('show', mint);
  for (const power of ['take tokens out of every account', 'stop all transfers', 'freeze every account']) {
    expect(shown).toContain(`Its issuer can ${power}.`);
  }
  const listed = ['add', mint, '--yes', '--keypair', file('keys/admin.json')];
  expect(await whitelist.done(...listed)).toContain('Its issuer can take a fee of every transfer.');
  schedules = { one: await promise('one'), other: await promise('other') };
});

it('freezing one employer’s money keeps their windows waiting, before they open and before they end, and nobody else’s', async () => {
  const vault = await vaultOf('one');
  await freezeTokens(world, mint, vault, true);
  await world.localnet.admin.advanceClock(HOUR + 60);
  const held = await world.runIn(run('one'), 'held', stopped);
  expect(held.errorDetail).toBe("The token's issuer has frozen the vault's account.");
  await world.runIn(run('other'), 'settled');
  const opened = failpoints.hold('delegate:after-landing', run('one'));
  await freezeTokens(world, mint, vault, false);
  const passing = await opened;
  await freezeTokens(world, mint, vault, true);
  passing.goOn();
  // What was held back goes home to the vault, when it can.
  await world.runIn(run('one'), 'held', stopped);
  await freezeTokens(world, mint, vault, false);
  await world.runIn(run('one'), 'settled');
});

it('windows wait while the issuer stops all transfers, and go on by themselves', async () => {
  await pauseToken(world, mint, true);
  expect(await by('other').refused('vault', 'withdraw', '1', '--token', mint, '--yes')).not.toBe('');
  await world.localnet.admin.advanceClock(HOUR);
  for (const who of EMPLOYERS) {
    const held = await world.runIn(run(who), 'held', { window: 1, ...stopped });
    expect(held.errorDetail).toBe("The token's issuer has stopped all transfers.");
  }
  await pauseToken(world, mint, false);
  for (const who of EMPLOYERS) await world.runIn(run(who), 'settled', { window: 1 });
});

it('is taken out like any other, and what governance lists no longer is promised nothing new', async () => {
  const wallet = await freshWallet();
  const paid = 4n * PAY;
  await by('ada').done('withdraw', 'all', '--now', '--to', wallet, '--yes');
  const account = await findTokenAddress(wallet, mint, TOKEN_2022_PROGRAM_ADDRESS);
  const arrived = await fetchEncodedAccount(world.ledgers.base, account);
  expect(arrived.exists && Buffer.from(arrived.data).readBigUInt64LE(64)).toBe(paid);
  await whitelist.done('remove', mint, '--yes', '--keypair', file('keys/admin.json'));
  const more = ['schedule', 'fund', schedules.one, '--executions', '1', '--yes'];
  expect(await by('one').refused(...more)).toBe('NotWhitelisted');
  await world.localnet.admin.advanceClock(HOUR);
  for (const who of EMPLOYERS) await world.runIn(run(who), 'settled', { window: 2 });
});
