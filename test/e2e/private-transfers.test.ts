import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readOrCreateKey, requestTransfer } from '@payouts/cli';
import {
  addressFromBytes,
  ownerOfPaymentCode,
  paymentCodeOf,
  type Recipient,
  RecipientClient,
  systemTime,
} from '@payouts/client';
import { type Printed, payout } from '@payouts/testing/payout';
import { freshWallet } from '@payouts/testing/wallets';
import { type Employer, until, World } from '@payouts/testing/world';
import type { KeyPairSigner } from '@solana/kit';
import { beforeAll, describe, expect, it } from 'vitest';

const AMOUNT = 1_250_500_000n;
const USDC = 1_000_000n;

describe('a private transfer', () => {
  let world: World;
  let employer: Employer;
  let keys: KeyPairSigner[];
  let code: string;

  beforeAll(async () => {
    world = await World.shared();
    await world.startCoordinator();
    keys = await Promise.all([0, 1, 2].map((line) => readOrCreateKey(keypair(line))));
    employer = await world.employer(
      keys.map(({ address }) => ({ recipient: address, amount: AMOUNT })),
      { executions: 2 },
    );
    await world.registerAndSettle(employer);
  });

  const keypair = (line: number) => join(world.folder, `person-${line}.json`);
  const client = (line: number) =>
    new RecipientClient({ apiUrl: world.apiUrl, signer: keys[line] as KeyPairSigner, time: systemTime });
  const run = (line: number, ...words: string[]): Promise<Printed> =>
    payout({ PAYOUT_API: world.apiUrl }, ...words, '--keypair', keypair(line));
  /** What the command calls a token that has no symbol. */
  const name = () => `${employer.mint.slice(0, 4)}…${employer.mint.slice(-4)}`;
  const balancesOf = async (line: number) => (await client(line).balances()).balances;
  const listed = async (line: number) => (await balancesOf(line)).find(({ schedules }) => schedules.length > 0);
  const paidTo = async (line: number) => (await balancesOf(line)).find(({ schedules }) => schedules.length === 0);

  it('goes to a payment code, which says nothing of its holder and is always the same', async () => {
    const shown = await run(1, 'code');
    expect(shown).toMatchObject({ code: 0, err: '' });
    code = shown.out.trim();
    expect(await client(1).paymentCode(employer.mint)).toBe(code);
    const entries = employer.balances.map(String);
    expect(entries).not.toContain(addressFromBytes(ownerOfPaymentCode(code)));
    expect(await client(0).paymentCode(employer.mint)).not.toBe(code);

    const paid = await run(0, 'pay', code, '250', '--yes');
    expect(paid).toMatchObject({ code: 0, out: `250.00 ${name()} paid to ${code}\n` });
    expect(await listed(0)).toMatchObject({ amount: AMOUNT - 250n * USDC, transfers: [] });
    expect(await paidTo(1)).toMatchObject({ amount: 250n * USDC, schedules: [] });
    expect(await listed(1)).toMatchObject({ amount: AMOUNT });
  });

  it('is in the history of both sides, each of whom has a receipt that anybody verifies and that says nothing of the other', async () => {
    const [payers, payees] = [await run(0, 'history'), await run(1, 'history')];
    expect(payers.out).toMatch(/-250\.00 .* private transfer\n/);
    expect(payees.out).toMatch(/\+250\.00 .* private transfer\n/);
    expect(payees.out).toContain(`to your ${code}`);
    for (const line of [0, 1]) {
      const folder = join(world.folder, `transfers-${line}`);
      expect(await run(line, 'receipt', 'transfers', '--out', folder)).toMatchObject({ code: 0, err: '' });
      const [file = '', ...others] = readdirSync(folder);
      expect(others).toEqual([]);
      const pinned = ['--authority', world.authority.address, '--rpc', world.urls.baseRpcUrl];
      const verified = await payout({}, 'receipt', 'verify', join(folder, file), ...pinned);
      expect(verified).toMatchObject({ code: 0, err: '' });
      for (const said of ['The receipt is sound', '250.00', code, keys[line]?.address]) {
        expect(verified.out).toContain(said);
      }
      expect(verified.out).toContain("The key is the program's execution authority.");
      expect(verified.out).not.toContain(keys[1 - line]?.address);
    }
  });

  it('is asked for by the layer alone', async () => {
    const line = employer.list.recipients.findIndex(({ recipient }) => recipient === keys[2]?.address);
    const balance = { ...(employer.list.recipients[line] as Recipient), mint: employer.mint };
    const recipient = keys[2] as KeyPairSigner;
    await requestTransfer(world.ledgers, { recipient, balance, amount: 40n * USDC, paymentCode: code });
    await until(async () => (await paidTo(1))?.amount === 290n * USDC, 'the transfer to be made');
    expect(await listed(2)).toMatchObject({ amount: AMOUNT - 40n * USDC });
  });

  it('is in the next recorded tree with both balances, and taken out like anything else', async () => {
    const wallet = await freshWallet();
    const out = await run(1, 'withdraw', '1300', '--now', '--to', wallet, '--yes');
    expect(out).toMatchObject({ code: 0, out: `1,300.00 ${name()} paid to ${wallet}\n` });
    await world.checkMoneyRules(employer);
    const owner = addressFromBytes(ownerOfPaymentCode(code));
    const left = (await paidTo(1))?.amount ?? 0n;
    expect(left + ((await listed(1))?.amount ?? 0n)).toBe(AMOUNT + 290n * USDC - 1_300n * USDC);
    const leavesOf = async (line: number) =>
      (await client(line).proofs()).flatMap(({ proofs }) =>
        proofs.flatMap(({ leaf }) => (leaf.kind === 'balance' && leaf.number === 0n ? [leaf] : [])),
      );
    const leaf = (await leavesOf(1)).find((each) => addressFromBytes(each.owner) === owner);
    expect(leaf?.amount ?? 0n).toBe(left);
    expect((await leavesOf(0)).map(({ amount }) => amount)).toContain(AMOUNT - 250n * USDC);
  });

  it('has receipts though the coordinator is killed when the layer has made it, before that is noted', async () => {
    // What becomes of it can't be noted from here on; that it is about to be made can.
    const { rows } = await world.postgres();
    const url = world.settings.DATABASE_URL ?? '';
    await rows(
      url,
      `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'held by a test'; end $$;
       create trigger held before update on withdrawals for each row execute function refuse()`,
    );
    const before = (await paidTo(1))?.amount ?? 0n;
    expect(await run(0, 'pay', code, '7', '--yes')).toMatchObject({ code: 0 });
    await until(async () => (await paidTo(1))?.amount === before + 7n * USDC, 'the transfer to be made');
    await world.killCoordinator();
    await rows(url, 'drop trigger held on withdrawals');
    await world.startCoordinator();
    const transfers = async (line: number) =>
      (await client(line).history()).items.filter(({ kind, amount }) => kind === 'transfer' && amount === 7n * USDC);
    for (const line of [0, 1]) {
      expect(await transfers(line)).toEqual([expect.objectContaining({ state: 'made', receipt: expect.anything() })]);
    }
    const folder = join(world.folder, 'after-death');
    expect(await run(1, 'receipt', 'transfers', '--out', folder)).toMatchObject({ code: 0, err: '' });
    expect(readdirSync(folder)).not.toEqual([]);
    for (const file of readdirSync(folder)) {
      expect(await payout({}, 'receipt', 'verify', join(folder, file))).toMatchObject({ code: 0, err: '' });
    }
  });

  it('to a code that nobody has waits, and is cancelled', async () => {
    const nobody = paymentCodeOf(new Uint8Array(32).fill(9));
    const asked = await run(0, 'pay', nobody, '10', '--yes', '--no-wait', '--json');
    expect(JSON.parse(asked.out)).toMatchObject({ state: 'requested', transfers: [{ paymentCode: nobody }] });
    const own = await listed(0);
    expect(own).toMatchObject({ transfers: [{ amount: 10n * USDC, paymentCode: nobody }] });
    const before = own?.amount ?? 0n;
    expect(await run(0, 'cancel', '--yes')).toMatchObject({
      code: 0,
      out: `The transfer of 10.00 ${name()} is cancelled.\n`,
    });
    expect(await listed(0)).toMatchObject({ amount: before + 10n * USDC, transfers: [] });
    const mistyped = await run(0, 'pay', `${code.slice(0, -1)}${code.endsWith('1') ? '2' : '1'}`, '10', '--yes');
    expect(mistyped.code).not.toBe(0);
    expect(mistyped.err).toContain('mistyped');
  });
});
