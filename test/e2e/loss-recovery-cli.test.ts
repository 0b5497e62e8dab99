import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readOrCreateKey, requestWithdrawal, walletTokens, withdraw } from '@payouts/cli';
import { fetchSchedule, proofFileFromJson, proofFileToJson, ScheduleStatus } from '@payouts/client';
import { claimRange, openWindow } from '@payouts/testing/claims';
import { runCommand } from '@payouts/testing/command';
import { commandsBy, payoutHere } from '@payouts/testing/payout';
import { freshWallet, makeHostile, personAt, personOf, variedPayees } from '@payouts/testing/wallets';
import { type Employer, World } from '@payouts/testing/world';
import type { KeyPairSigner } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';

const GRACE = 86_400;
const UNIT = 1_000_000n;

let world: World;
let me: KeyPairSigner;
let settled: Employer;
/** Its window is open, and recorded, when the layer is lost. */
let open: Employer;
/** Its window opened after the last recording. */
let late: Employer;

const file = (name: string) => join(world.folder, name);
const env = () => ({ PAYOUT_RPC: world.urls.baseRpcUrl, NO_COLOR: '1' });
const { done, refused, json } = commandsBy((...words) => payoutHere(env(), ...words, '--keypair', file('me.json')));

/** Writes what the coordinator's operator gives to whoever asks; returns the file. */
async function proofOf(address: string): Promise<string> {
  const { code, printed } = await runCommand(world.settings, 'liability-proof', '--balance', address);
  expect({ code, printed: code === 0 ? '' : printed }).toEqual({ code: 0, printed: '' });
  await writeFile(file(`${address}.json`), printed);
  return file(`${address}.json`);
}

beforeAll(async () => {
  world = await World.start();
  await world.startCoordinator();
  me = await readOrCreateKey(file('me.json'));
  await world.fund(me.address);
  const payees = [{ recipient: me.address, amount: 25n * UNIT }, ...(await variedPayees(3, UNIT))];
  settled = await world.employer(payees, { executions: 3 });
  await world.registerAndSettle(settled);
  open = await world.promise(settled, await variedPayees(4, 10n * UNIT), { id: 1n, batchTimeout: 3_600 });
  late = await world.promise(settled, await variedPayees(2, 100n * UNIT), { id: 2n, batchTimeout: 3_600 });
});

it('a recipient redeems, and anybody reclaims, by commands that need no coordinator', async () => {
  const mine = settled.list.recipients.findIndex(({ recipient }) => recipient === me.address);
  const other = settled.list.recipients.findIndex(({ recipient }) => recipient !== me.address);
  await openWindow(world, open, 0n);
  await claimRange(world, open, 0, 1);
  // What of mine is on its way when the layer is lost has a leaf of its own.
  const hostile = await freshWallet();
  await makeHostile(world, settled.mint, hostile, { frozen: true });
  const own = personOf(settled, me);
  await requestWithdrawal(world.ledgers, { ...own, amount: 5n * UNIT, wallet: hostile });
  // A withdrawal has both trees recorded with what was paid so far.
  await withdraw(world.ledgers, { ...personAt(settled, other), amount: 'all', wallet: await freshWallet() });
  await world.stopCoordinator();
  await openWindow(world, late, 0n);
  await world.localnet.killLayer();
  const [proof, another, window] = [
    await proofOf(settled.balances[mine] as string),
    await proofOf(settled.balances[other] as string),
    await proofOf(open.schedule),
  ];

  // As the recipients' page saves it: more than one's own may be in it.
  const { proofs } = proofFileFromJson(JSON.parse(await readFile(proof, 'utf8')));
  const saved = file('payouts-proof.json');
  const { salt: secret, delivery } = own.balance;
  await writeFile(saved, JSON.stringify(proofFileToJson([{ recipient: me.address, salt: secret, delivery, proofs }])));

  const salt = ['--salt', Buffer.from(own.balance.salt).toString('hex')];
  expect(await refused('redeem', proof, ...salt, '--yes')).toBe('layer-not-lost');
  const governed = (...words: string[]) =>
    payoutHere(env(), 'governance', ...words, '--keypair', join(world.folder, 'keys', 'admin.json'), '--yes');
  const guarded = ['--guardian-keypair', join(world.folder, 'keys', 'guardian.json')];
  expect((await governed('declare-loss', ...guarded)).code).toBe(0);
  expect(await refused('redeem', proof, ...salt, '--yes')).toBe('layer-not-lost');
  expect(await refused('reclaim', late.schedule, '--yes')).toBe('layer-not-lost');
  await world.localnet.admin.advanceClock(GRACE + 1);

  expect(await refused('redeem', file('me.json'), ...salt, '--yes')).toBe('proof-unreadable');
  expect(await refused('redeem', another, ...salt, '--yes')).toBe('proof-unfit');
  expect(await refused('redeem', proof, '--salt', '00'.repeat(16), '--yes')).toBe('proof-unfit');
  expect(await refused('redeem', proof, ...salt, '--delivery', 'wallet', '--yes')).toBe('proof-unfit');
  const shown = await done('redeem', proof, ...salt, '--dry-run');
  expect(shown).toMatch(/Takes 25.00 .* out of the pool, once and for all\n {2}to .*\n {2}for 0\.01\d+ SOL/);
  expect(await done('redeem', saved, '--dry-run')).toBe(shown);
  expect(await refused('redeem', proof, '--yes')).toBe('proof-unfit');
  expect(await walletTokens(world.ledgers, me.address, settled.mint)).toBe(0n);
  const lamportsLeft = async () => (await world.ledgers.base.getBalance(me.address).send()).value;
  const before = await lamportsLeft();
  const redeemed = await json('redeem', saved, '--yes');
  expect(redeemed).toMatchObject({
    wallet: me.address,
    taken: [{ mint: settled.mint, amount: String(25n * UNIT) }],
    signatures: [expect.any(String), expect.any(String)],
  });
  expect(redeemed).toHaveProperty('cost', String(before - (await lamportsLeft())));
  expect(await walletTokens(world.ledgers, me.address, settled.mint)).toBe(25n * UNIT);
  expect(await refused('redeem', proof, ...salt, '--yes')).toBe('already-redeemed');

  // Neither schedule is of whoever reclaims.
  expect(await refused('reclaim', settled.schedule, '--yes')).toBe('window-not-open');
  expect(await refused('reclaim', open.schedule, '--yes')).toBe('proof-missing');
  expect(await refused('reclaim', open.schedule, '--proof', proof, '--yes')).toBe('proof-unfit');
  const paid = open.list.recipients[0]?.amount ?? 0n;
  expect(await json('reclaim', open.schedule, '--proof', window, '--yes')).toMatchObject({
    paid: String(paid),
    returned: String(open.list.total - paid),
  });
  expect(await done('reclaim', late.schedule, '--yes')).toContain('are back in the vault.');
  for (const { schedule } of [open, late]) {
    expect((await fetchSchedule(world.ledgers.base, schedule)).data.status).toBe(ScheduleStatus.Cancelled);
  }
  expect((await world.pool(settled)).open).toBe(0n);
});
