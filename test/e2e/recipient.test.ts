import { join } from 'node:path';
import { readOrCreateKey } from '@payouts/cli';
import {
  type ApiFailed,
  actFor,
  buildTransaction,
  fetchBalance,
  getSetStandingOrderInstruction,
  RecipientClient,
  requestWithdrawalInstructions,
  systemTime,
} from '@payouts/client';
import { type Printed, payout } from '@payouts/testing/payout';
import { readSigned } from '@payouts/testing/signed';
import { freshWallet, makeHostile } from '@payouts/testing/wallets';
import { type Employer, until, World } from '@payouts/testing/world';
import {
  AccountRole,
  generateKeyPairSigner,
  type Instruction,
  type KeyPairSigner,
  type TransactionSigner,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { beforeAll, describe, expect, it } from 'vitest';

const PEOPLE = 4;
const AMOUNT = 1_250_500_000n;

describe("a recipient's own money", () => {
  let world: World;
  let employer: Employer;
  let keys: KeyPairSigner[];

  beforeAll(async () => {
    world = await World.shared();
    await world.startCoordinator();
    keys = await Promise.all(Array.from({ length: PEOPLE }, (_, line) => readOrCreateKey(keypair(line))));
    employer = await world.employer(
      keys.map(({ address }) => ({ recipient: address, amount: AMOUNT })),
      { executions: 2 },
    );
    await world.registerAndSettle(employer);
  });

  const keypair = (line: number) => join(world.folder, `person-${line}.json`);
  const key = (line: number) => keys[line] as KeyPairSigner;
  const client = (signer: KeyPairSigner) => new RecipientClient({ apiUrl: world.apiUrl, signer, time: systemTime });
  const run = (line: number, ...words: string[]): Promise<Printed> =>
    payout({ PAYOUT_API: world.apiUrl }, ...words, '--keypair', keypair(line));
  const balanceOf = async (signer: KeyPairSigner) => {
    const { balances } = await client(signer).balances();
    expect(balances).toHaveLength(1);
    return balances[0] as (typeof balances)[number];
  };

  it('is shown to them alone, in whole', async () => {
    const own = await client(key(0)).balances();
    expect(own.recipient).toBe(key(0).address);
    const place = employer.list.recipients.findIndex(({ recipient }) => recipient === key(0).address);
    expect(own.balances).toEqual([
      {
        address: employer.balances[place],
        mint: employer.mint,
        symbol: null,
        decimals: 6,
        exists: true,
        amount: AMOUNT,
        withdrawal: null,
        order: null,
        recovery: null,
        schedules: [employer.schedule],
      },
    ]);
    const printed = await run(0, 'balance');
    expect(printed).toMatchObject({ code: 0, err: '', out: `1,250.50 ${employer.mint}\n` });
    const stranger = await generateKeyPairSigner();
    expect((await client(stranger).balances()).balances).toEqual([]);
  });

  it('is refused to employer, colleague and stranger in the same words', async () => {
    const refusals = new Set<string>();
    for (const signer of [employer.signer, key(1), await generateKeyPairSigner()]) {
      for (const subject of [key(0).address, await freshWallet()]) {
        for (const what of ['balances', 'history']) {
          const url = `${world.apiUrl}/api/recipients/${subject}/${what}`;
          const response = await readSigned(signer, url);
          expect(response.status).toBe(403);
          refusals.add(await response.text());
        }
      }
    }
    expect(refusals.size).toBe(1);
    const unsigned = await fetch(`${world.apiUrl}/api/recipients/me/balances`);
    expect(unsigned.status).toBe(401);
  });

  it('goes to any wallet by the command line, and a second withdrawal waits for the first', async () => {
    const [frozen, fresh] = [await freshWallet(), await freshWallet()];
    await makeHostile(world, employer.mint, frozen, { frozen: true });
    const dry = await run(1, 'withdraw', '1,000.50', '--to', frozen, '--dry-run');
    expect(dry).toMatchObject({ code: 0, out: '' });
    expect(dry.err).toContain('250.00');
    expect((await balanceOf(key(1))).amount).toBe(AMOUNT);
    expect(await run(1, 'withdraw', '1', '--to', fresh)).toMatchObject({ code: 2, out: '' });

    const asked = await run(1, 'withdraw', '1,000.50', '--to', frozen, '--yes', '--no-wait');
    expect(asked).toMatchObject({ code: 0 });
    const second = await run(1, 'withdraw', 'all', '--to', fresh, '--yes', '--json');
    expect(second).toMatchObject({ code: 1, out: '' });
    expect(JSON.parse(second.err.trim().split('\n').at(-1) ?? '')).toMatchObject({
      error: { code: 'withdrawal-pending' },
    });
    // Past the command line's own look, the ledger says the same.
    const balance = await balanceOf(key(1));
    await expect(client(key(1)).withdraw(balance, { amount: 1n, wallet: fresh })).rejects.toMatchObject({
      code: 'transaction-refused',
      reason: 'WithdrawalPending',
    });
    expect(balance.withdrawal).toMatchObject({ amount: 1_000_500_000n, wallet: frozen });
    expect((await run(1, 'balance')).out).toContain('1,000.50');

    expect(await run(1, 'redirect', '--to', fresh, '--yes')).toMatchObject({ code: 0 });
    await world.arrived(fresh, employer, 1_000_500_000n);
    await until(async () => (await balanceOf(key(1))).withdrawal === null, 'it to be cleared');
    const last = await freshWallet();
    const all = await run(1, 'withdraw', 'all', '--to', last, '--yes');
    expect(all).toMatchObject({ code: 0 });
    expect(all.out).toMatch(new RegExp(`^250.00 \\w{4}…\\w{4} paid to ${last}\\n$`));
    for (const said of ['all that you hold', 'leaves at once']) expect(all.err).toContain(said);
    expect(all.err).not.toContain('the address that your employer pays');
    await world.arrived(last, employer, 250_000_000n);
    await world.checkMoneyRules(employer);
  });

  it('goes out by itself from the threshold of a standing order on', async () => {
    const wallet = await freshWallet();
    expect(await run(2, 'order', 'set', '--threshold', '2000', '--to', wallet, '--yes')).toMatchObject({ code: 0 });
    const shown = JSON.parse((await run(2, 'order', 'show', '--json')).out);
    expect(shown.orders).toMatchObject([{ threshold: '2000000000', wallet }]);
    // Past the coordinator's API, by the layer's own.
    const direct = ['--layer', world.urls.layerRpcUrl];
    expect(await run(2, 'order', 'end', '--yes', ...direct)).toMatchObject({ code: 0 });
    const nothing = await run(2, 'redirect', '--to', wallet, '--yes', '--json', ...direct);
    expect(JSON.parse(nothing.err)).toMatchObject({ error: { code: 'no-withdrawal-pending' } });
    expect((await run(2, 'order', 'show')).out).toBe('You have no standing order.\n');
    expect(await run(2, 'order', 'set', '--threshold', '1000', '--to', wallet, '--yes')).toMatchObject({ code: 0 });
    await world.arrived(wallet, employer, AMOUNT);
  });

  it('has a history that survives a restart, and that nobody else has a part in', async () => {
    const noted = () =>
      until(async () => {
        const { items } = await client(key(1)).history();
        return items.filter((item) => item.kind === 'withdrawal' && item.state === 'paid').length === 2 && items;
      }, 'both withdrawals to be noted as paid');
    const before = await noted();
    expect(before.map(({ kind, amount }) => [kind, amount])).toEqual([
      ['withdrawal', 250_000_000n],
      ['withdrawal', 1_000_500_000n],
      ['payment', AMOUNT],
    ]);
    expect(before[2]).toMatchObject({ schedulePda: employer.schedule, window: 0n, known: true });
    await world.killCoordinator();
    await world.startCoordinator();
    const after = await noted();
    expect(after).toEqual(before);

    const pages = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await client(key(1)).history({ limit: 1, ...(cursor && { cursor }) });
      pages.push(...page.items);
      cursor = page.nextCursor;
    }
    expect(pages).toEqual(before);
    const printed = (await run(1, 'history')).out;
    expect(printed).toMatch(/\+1,250\.50 .* payment 0\n/);
    expect(printed).toMatch(/-1,000\.50 .* withdrawal \d+, paid\n {2}to \w{32,44}\n/);
    for (const line of printed.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect((await client(key(0)).history()).items).toMatchObject([{ kind: 'payment', amount: AMOUNT }]);
    expect((await client(await generateKeyPairSigner()).history()).items).toEqual([]);
  });

  it('is moved by nothing but their own instructions', async () => {
    const mine = await balanceOf(key(3));
    const { blockhash, lastValidBlockHeight } = await client(key(3)).balances();
    const lifetime = { blockhash, lastValidBlockHeight };
    const submit = async (feePayer: TransactionSigner, ...instructions: Instruction[]) =>
      client(key(0)).submit(await buildTransaction({ feePayer, instructions, lifetime }));
    const wallet = await freshWallet();
    const order = (signer: TransactionSigner, balance = mine.address, threshold = 1n) => [
      getSetStandingOrderInstruction({ signer, balance, threshold, wallet }),
    ];
    const { feePayer, instructions } = await actFor(key(3), { balance: mine.address, time: systemTime }, (signer) =>
      order(signer, mine.address, 1n << 60n),
    );
    const [authorisation, own] = instructions as [Instruction, Instruction];
    const foreign = getTransferSolInstruction({ source: key(3), destination: wallet, amount: 1n });
    const elses = await actFor(key(0), { balance: mine.address, time: systemTime }, order);
    const nowhere = await actFor(key(0), { balance: wallet, time: systemTime }, (signer) => order(signer, wallet));
    const wrongToken = await actFor(key(3), { balance: mine.address, time: systemTime }, (signer) =>
      requestWithdrawalInstructions({ signer, balance: mine.address, mint: wallet, amount: 1n, wallet }),
    );
    const longer = { ...own, data: new Uint8Array([...(own.data as Uint8Array), 0]) };
    const more = { ...own, accounts: [...(own.accounts ?? []), { address: wallet, role: AccountRole.READONLY }] };

    const invalid = { code: 'invalid-transaction', status: 422 };
    await expect(submit(key(3), ...order(key(3)))).rejects.toMatchObject(invalid);
    await expect(submit(key(3), foreign)).rejects.toMatchObject(invalid);
    await expect(submit(key(0), authorisation, own)).rejects.toMatchObject(invalid);
    await expect(submit(feePayer, own)).rejects.toMatchObject(invalid);
    await expect(submit(feePayer, authorisation, own, foreign)).rejects.toMatchObject(invalid);
    await expect(submit(feePayer, authorisation, longer as Instruction)).rejects.toMatchObject(invalid);
    await expect(submit(feePayer, authorisation, more as Instruction)).rejects.toMatchObject(invalid);
    await expect(submit(wrongToken.feePayer, ...wrongToken.instructions)).rejects.toMatchObject(invalid);
    const refusals = await Promise.all(
      [elses, nowhere].map((own) =>
        submit(own.feePayer, ...own.instructions).catch((error: unknown) => error as ApiFailed),
      ),
    );
    for (const refusal of refusals) expect(refusal).toMatchObject({ code: 'not-permitted', status: 403 });
    expect(new Set(refusals.map(String)).size).toBe(1);
    expect((await fetchBalance(world.ledgers.layer, mine.address)).data.orderThreshold).toBe(0n);

    // Their own, however often the same bytes come.
    const signed = await buildTransaction({ feePayer, instructions, lifetime });
    const answers = await Promise.all([1, 2, 3].map(() => client(key(0)).submit(signed)));
    expect(new Set([...answers, await client(key(0)).submit(signed)])).toEqual(new Set([signed.signature]));
    expect((await fetchBalance(world.ledgers.layer, mine.address)).data.orderThreshold).toBe(1n << 60n);
  });
});
