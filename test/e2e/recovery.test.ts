import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readOrCreateKey } from '@payouts/cli';
import { RECOVERY_SECONDS, RecipientClient, systemTime } from '@payouts/client';
import { payoutHere } from '@payouts/testing/payout';
import { freshWallet } from '@payouts/testing/wallets';
import { type Employer, until, World } from '@payouts/testing/world';
import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { beforeAll, describe, expect, it } from 'vitest';

const AMOUNT = 1_250_500_000n;
/** What the fourteen days are in this test's program: the layer tells the time by the machine's clock. */
const DELAY_SECONDS = 4;
/** Places in the program that add the fourteen days: to the time of a request, and of a change. */
const PLACES = 2;

const published = fileURLToPath(new URL('../../program/payouts.so', import.meta.url));

/** The program itself, whose fourteen days are seconds. */
async function hurried(folder: string): Promise<string> {
  const program = await readFile(published);
  const days = Buffer.from(Int32Array.of(RECOVERY_SECONDS).buffer);
  const seconds = Buffer.from(Int32Array.of(DELAY_SECONDS).buffer);
  let found = 0;
  for (let at = program.indexOf(days); at >= 0; at = program.indexOf(days, at + 1)) {
    seconds.copy(program, at);
    found += 1;
  }
  expect(found).toBe(PLACES);
  const path = join(folder, 'hurried.so');
  await writeFile(path, program);
  return path;
}

describe('a recipient who has lost their key', () => {
  let world: World;
  let employer: Employer;
  let owner: KeyPairSigner;
  let keeper: KeyPairSigner;
  /** The account that holds what the owner asks of their balance: by it the balance is asked for. */
  let balance: Address;

  beforeAll(async () => {
    world = await World.start({ program: hurried });
    await world.startCoordinator();
    [owner, keeper] = [await readOrCreateKey(file('owner')), await readOrCreateKey(file('keeper'))];
    await readOrCreateKey(file('stranger'));
    const others = await Promise.all(Array.from({ length: 3 }, generateKeyPairSigner));
    employer = await world.employer(
      [owner, ...others].map(({ address }) => ({ recipient: address, amount: AMOUNT })),
      { executions: 1 },
    );
    await world.registerAndSettle(employer);
  });

  const file = (name: string) => join(world.folder, `${name}.json`);
  const run = (who: string, ...words: string[]) =>
    payoutHere({ PAYOUT_API: world.apiUrl, NO_COLOR: '1' }, 'recovery', ...words, '--keypair', file(who));
  const done = async (who: string, ...words: string[]) => {
    const printed = await run(who, ...words);
    expect(printed).toMatchObject({ code: 0 });
    return printed.out;
  };
  const own = async () => {
    const { balances } = await new RecipientClient({
      apiUrl: world.apiUrl,
      signer: owner,
      time: systemTime,
    }).balances();
    return balances[0] as (typeof balances)[number];
  };

  it('names a wallet, and is shown it; the public ledger and strangers see nothing of it', async () => {
    expect(await done('owner', 'show')).toBe('Nobody can recover your balances.\n');
    const named = await done('owner', 'name', keeper.address, '--yes');
    balance = (await own()).personal as Address;
    expect(named).toContain(balance);
    expect(await done('owner', 'show')).toContain(`recovered by ${keeper.address}`);
    expect((await own()).recovery).toEqual({ wallet: keeper.address, change: null, completesAt: null });
    const onBase = await world.ledgers.base.getAccountInfo(keeper.address, { encoding: 'base64' }).send();
    expect(onBase.value).toBeNull();
    const stranger = await run('stranger', 'request', balance, '--yes');
    expect(stranger.code).toBe(1);
    expect(stranger.err).toContain('Only the recipient may see or move this');
  });

  it('refuses a recovery that they have not asked for, and it ends', async () => {
    await done('keeper', 'request', balance, '--yes');
    expect(await done('owner', 'show')).toContain('has asked for it');
    await done('owner', 'refuse', '--yes');
    const late = await run('keeper', 'complete', balance, '--to', await freshWallet(), '--yes');
    expect(late.err).toContain('No recovery of this balance is under way');
  });

  it('gets everything by the wallet that they have named, and what comes later', async () => {
    await done('keeper', 'request', balance, '--yes');
    const wallet = await freshWallet();
    const isCompleted = async () => {
      const { code, err } = await run('keeper', 'complete', balance, '--to', wallet, '--yes');
      if (code !== 0) expect(err).toContain('still has time to refuse');
      return code === 0;
    };
    await until(isCompleted, 'the recovery to be due');
    await world.arrived(wallet, employer, AMOUNT);
    await world.checkMoneyRules(employer);
    expect((await own()).order).toMatchObject({ threshold: 1n, wallet });
  });
});
