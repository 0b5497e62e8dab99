import { join } from 'node:path';
import { locateBalance, readOrCreateKey } from '@payouts/cli';
import {
  type ApiFailed,
  actFor,
  buildTransaction,
  fetchPersonal,
  getSetStandingOrderInstruction,
  nextPersonalNumber,
  openPersonalInstruction,
  PAGE_SLOTS,
  type PrivateBalance,
  personalNamed,
  type Recipient,
  RecipientClient,
  requestWithdrawalInstructions,
  showBalance,
  showPersonal,
  systemTime,
} from '@payouts/client';
import { type Printed, payout } from '@payouts/testing/payout';
import { readSignedPatiently } from '@payouts/testing/signed';
import { textSigner } from '@payouts/testing/textSigner';
import { freshWallet, makeHostile } from '@payouts/testing/wallets';
import { type Employer, until, World } from '@payouts/testing/world';
import {
  AccountRole,
  type Address,
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
    expect(own).toMatchObject({ executionAuthority: world.authority.address, isPrivate: false });
    const place = employer.list.recipients.findIndex(({ recipient }) => recipient === key(0).address);
    const entry = { ...(employer.list.recipients[place] as Recipient), mint: employer.mint };
    const found = (await locateBalance(world.ledgers, entry)) as PrivateBalance;
    // The layer tells them the same key by their signature.
    const { personalKey } = await showBalance(world.ledgers, key(0), found);
    expect(own.balances).toEqual([
      {
        address: employer.balances[place],
        mint: employer.mint,
        symbol: null,
        decimals: 6,
        place: { page: found.page, slot: found.slot },
        salt: Buffer.from(entry.salt).toString('hex'),
        delivery: 'balance',
        personal: null,
        personalNumber: 0,
        personalKey: Buffer.from(personalKey).toString('hex'),
        amount: AMOUNT,
        withdrawals: [],
        transfers: [],
        standing: [],
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
          const response = await readSignedPatiently(signer, url);
          expect(response.status).toBe(403);
          refusals.add(await response.text());
        }
      }
    }
    expect(refusals.size).toBe(1);
    const unsigned = await fetch(`${world.apiUrl}/api/recipients/me/balances`);
    expect(unsigned.status).toBe(401);
  });

  it('goes to any wallet by the command line, in several withdrawals at a time', async () => {
    const [frozen, fresh] = [await freshWallet(), await freshWallet()];
    await makeHostile(world, employer.mint, frozen, { frozen: true });
    const dry = await run(1, 'withdraw', '1,000.50', '--now', '--to', frozen, '--dry-run');
    expect(dry).toMatchObject({ code: 0, out: '' });
    expect(dry.err).toContain('250.00');
    expect((await balanceOf(key(1))).amount).toBe(AMOUNT);
    expect(await run(1, 'withdraw', '1', '--now', '--to', fresh)).toMatchObject({ code: 2, out: '' });

    const asked = await run(1, 'withdraw', '1,000.50', '--now', '--to', frozen, '--yes', '--no-wait');
    expect(asked).toMatchObject({ code: 0 });
    const tooMuch = await run(1, 'withdraw', '250.01', '--now', '--to', fresh, '--yes', '--json');
    expect(tooMuch).toMatchObject({ code: 1, out: '' });
    expect(JSON.parse(tooMuch.err.trim().split('\n').at(-1) ?? '')).toMatchObject({
      error: { code: 'withdrawal-pending' },
    });
    // Past the command line's own look, the ledger says the same.
    const balance = await balanceOf(key(1));
    const more = { amount: 250_000_001n, wallet: fresh };
    await expect(client(key(1)).withdraw(balance, more)).rejects.toMatchObject({
      code: 'transaction-refused',
      reason: 'InsufficientBalance',
    });
    expect(balance.withdrawals).toMatchObject([{ id: 1, amount: 1_000_500_000n, wallet: frozen }]);
    // Beside it another one is paid, and a third waits.
    const second = await freshWallet();
    expect(await run(1, 'withdraw', '100', '--now', '--to', second, '--yes')).toMatchObject({ code: 0 });
    await world.arrived(second, employer, 100_000_000n);
    expect(await run(1, 'withdraw', '50', '--to', fresh, '--within', '30d', '--yes')).toMatchObject({ code: 0 });
    const shown = await run(1, 'balance');
    expect(shown.out).toContain('1,000.50');
    expect(shown.out).toMatch(/on the way, id 1: withdrawal \d+, /);
    const waiting = Number(/on the way, id (\d+): waiting for its release/.exec(shown.out)?.[1]);
    const unnamed = await run(1, 'redirect', '--to', fresh, '--yes', '--json');
    expect(JSON.parse(unnamed.err)).toMatchObject({ error: { code: 'withdrawal-unnamed' } });

    expect(await run(1, 'cancel', '--withdrawal', '1', '--yes')).toMatchObject({ code: 1 });
    expect(await run(1, 'withdraw', '20', '--to', fresh, '--within', '30d', '--yes')).toMatchObject({ code: 0 });
    expect(await run(1, 'withdraw', '10', '--to', fresh, '--within', '30d', '--yes')).toMatchObject({ code: 0 });
    expect(await run(1, 'cancel', '--withdrawal', String(waiting), '--yes')).toMatchObject({ code: 0 });
    const several = await run(1, 'cancel', '--yes');
    expect(several).toMatchObject({ code: 1, out: '' });
    for (const each of [' 20.00', ' 10.00', fresh, '--all']) expect(several.err).toContain(each);
    expect((await balanceOf(key(1))).withdrawals).toHaveLength(3);
    const cancelled = await run(1, 'cancel', '--all', '--yes');
    expect(cancelled).toMatchObject({ code: 0 });
    expect(cancelled.out.match(/is cancelled/g)).toHaveLength(2);
    expect((await balanceOf(key(1))).withdrawals).toMatchObject([{ id: 1 }]);
    expect(await run(1, 'cancel', '--all', '--yes')).toMatchObject({ code: 1 });
    expect(await run(1, 'redirect', '--to', fresh, '--yes')).toMatchObject({ code: 0 });
    await world.arrived(fresh, employer, 1_000_500_000n);
    await until(async () => (await balanceOf(key(1))).withdrawals.length === 0, 'it to be cleared');
    const last = await freshWallet();
    const all = await run(1, 'withdraw', 'all', '--now', '--to', last, '--yes');
    expect(all).toMatchObject({ code: 0 });
    expect(all.out).toMatch(new RegExp(`^150.00 \\w{4}…\\w{4} paid to ${last}\\n$`));
    for (const said of ['all that you hold', 'leaves at once']) expect(all.err).toContain(said);
    expect(all.err).not.toContain('the address that your employer pays');
    await world.arrived(last, employer, 150_000_000n);
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
        return items.filter((item) => item.kind === 'withdrawal' && item.state === 'paid').length === 3 && items;
      }, 'all withdrawals to be noted as paid');
    const before = await noted();
    expect(before.map(({ kind, amount }) => [kind, amount])).toEqual([
      ['withdrawal', 150_000_000n],
      ['withdrawal', 100_000_000n],
      ['withdrawal', 1_000_500_000n],
      ['payment', AMOUNT],
    ]);
    expect(before[3]).toMatchObject({ schedulePda: employer.schedule, window: 0n, known: true });
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
    const { place, ...mine } = await balanceOf(key(3));
    if (place === null) throw new Error('they were paid nothing');
    const { executionAuthority, blockhash, lastValidBlockHeight } = await client(key(3)).balances();
    const lifetime = { blockhash, lastValidBlockHeight };
    const submit = async (feePayer: TransactionSigner, ...instructions: Instruction[]) =>
      client(key(0)).submit(await buildTransaction({ feePayer, instructions, lifetime }));
    const wallet = await freshWallet();
    const salt = new Uint8Array(Buffer.from(mine.salt, 'hex'));
    const balance = { ...mine, ...place, salt, recipient: key(3).address };
    const follows = new Uint8Array(Buffer.from(String(mine.personalKey), 'hex'));
    const named = personalNamed(balance.mint, follows, nextPersonalNumber(mine.personalNumber));
    const personal = named.address;
    const opening = (signer: TransactionSigner) =>
      openPersonalInstruction({ signer, balance, executionAuthority, isPrivate: false, personal: named });
    const acting = (recipient: KeyPairSigner, at = personal) => ({ recipient, personal: at, time: systemTime });
    const actsFor = (
      { recipient, ...at }: ReturnType<typeof acting>,
      build: (signer: TransactionSigner) => Instruction[] | Promise<Instruction[]>,
    ) => actFor(recipient, at, build);
    const invalid = { code: 'invalid-transaction', status: 422 };

    // Whoever knows all that a colleague knows of their balance, but has not their key, makes no account for them.
    const stolen = await actsFor(acting(key(0)), async (signer) => [await opening(signer)]);
    await expect(submit(stolen.feePayer, ...stolen.instructions)).rejects.toMatchObject(invalid);
    const mistaken = { ...balance, slot: (place.slot + 1) % PAGE_SLOTS };
    const elsewhere = await actsFor(acting(key(3)), async (signer) => [
      await openPersonalInstruction({
        ...{ signer, balance: mistaken, executionAuthority },
        ...{ isPrivate: false, personal: named },
      }),
    ]);
    await expect(submit(elsewhere.feePayer, ...elsewhere.instructions)).rejects.toMatchObject({
      code: 'transaction-refused',
      reason: 'NotOwner',
    });
    const made = await actsFor(acting(key(3)), async (signer) => [await opening(signer)]);
    await submit(made.feePayer, ...made.instructions);

    const order = (signer: TransactionSigner, at = personal, threshold = 1n) => [
      getSetStandingOrderInstruction({ signer, personal: at, threshold, wallet }),
    ];
    const { feePayer, instructions } = await actsFor(acting(key(3)), (signer) => order(signer, personal, 1n << 60n));
    const [authorisation, own] = instructions as [Instruction, Instruction];
    const foreign = getTransferSolInstruction({ source: key(3), destination: wallet, amount: 1n });
    const elses = await actsFor(acting(key(0)), order);
    const nowhere = await actsFor(acting(key(0), wallet), (signer) => order(signer, wallet));
    const request = (mint: Address, page: Address) =>
      actsFor(acting(key(3)), (signer) =>
        requestWithdrawalInstructions({ signer, personal, page, mint, amount: 1n, wallet }),
      );
    const wrongToken = await request(wallet, place.page);
    const wrongPage = await request(mine.mint, wallet);
    const longer = { ...own, data: new Uint8Array([...(own.data as Uint8Array), 0]) };
    const more = { ...own, accounts: [...(own.accounts ?? []), { address: wallet, role: AccountRole.READONLY }] };

    await expect(submit(key(3), ...order(key(3)))).rejects.toMatchObject(invalid);
    await expect(submit(key(3), foreign)).rejects.toMatchObject(invalid);
    await expect(submit(key(0), authorisation, own)).rejects.toMatchObject(invalid);
    await expect(submit(feePayer, own)).rejects.toMatchObject(invalid);
    await expect(submit(feePayer, authorisation, own, foreign)).rejects.toMatchObject(invalid);
    await expect(submit(feePayer, authorisation, longer as Instruction)).rejects.toMatchObject(invalid);
    await expect(submit(feePayer, authorisation, more as Instruction)).rejects.toMatchObject(invalid);
    await expect(submit(wrongToken.feePayer, ...wrongToken.instructions)).rejects.toMatchObject(invalid);
    const refusals = await Promise.all(
      [elses, nowhere, wrongPage].map((own) =>
        submit(own.feePayer, ...own.instructions).catch((error: unknown) => error as ApiFailed),
      ),
    );
    for (const refusal of refusals) expect(refusal).toMatchObject({ code: 'not-permitted', status: 403 });
    expect(new Set(refusals.map(String)).size).toBe(1);
    expect((await fetchPersonal(world.ledgers.layer, personal)).data.orderThreshold).toBe(0n);

    // Their own, however often the same bytes come.
    const signed = await buildTransaction({ feePayer, instructions, lifetime });
    const answers = await Promise.all([1, 2, 3].map(() => client(key(0)).submit(signed)));
    expect(new Set([...answers, await client(key(0)).submit(signed)])).toEqual(new Set([signed.signature]));
    expect((await fetchPersonal(world.ledgers.layer, personal)).data.orderThreshold).toBe(1n << 60n);
  });

  it('is theirs with a wallet that signs nothing but texts which it shows', async () => {
    const shown: string[] = [];
    const wallet = textSigner(key(0), (text) => shown.push(text));
    const recoverer = await generateKeyPairSigner();
    const own = new RecipientClient({ apiUrl: world.apiUrl, signer: wallet, time: systemTime });
    const later = new RecipientClient({ apiUrl: world.apiUrl, signer: textSigner(recoverer), time: systemTime });
    const found = async () => {
      const [balance] = (await own.balances()).balances;
      if (balance === undefined || balance.place === null) throw new Error('they were paid nothing');
      return { ...balance, place: balance.place };
    };

    const balance = await found();
    const [first, second] = [await freshWallet(), await freshWallet()];
    const dueAt = BigInt(Math.floor(systemTime.now() / 1_000) + 3_600);
    await own.withdraw(balance, { amount: 1_000_000n, wallet: first, dueAt });
    const { salt, place, personal } = await found();
    const { mint, delivery } = balance;
    const at = { mint, delivery, ...place, salt: new Uint8Array(Buffer.from(salt, 'hex')) };
    expect(await showPersonal(world.ledgers, wallet, at)).toMatchObject({ address: personal });
    await own.redirect(balance, 1, second, dueAt);
    await own.cancel(balance, 1);
    const order = { threshold: 1n << 60n, wallet: first, part: null, delayMinutes: { least: 0, most: 0 } };
    await own.setOrder(balance, order);
    await own.nameRecovery(balance, recoverer.address);
    await later.requestRecovery(personal as Address);
    await own.refuseRecovery(balance);
    await own.setOrder(balance, { ...order, threshold: 0n });
    await own.withdraw(balance, { amount: AMOUNT, wallet: second });
    await world.arrived(second, employer, AMOUNT);

    const allows = shown.filter((text) => text.startsWith('Payouts: let a key act for me on a private balance\n'));
    expect(allows.length).toBeGreaterThanOrEqual(8);
    for (const text of allows) expect(text).toMatch(/\nUntil: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
    expect(shown.filter((text) => text.startsWith('Payouts: show a private balance\n'))).toHaveLength(1);
  });
});
