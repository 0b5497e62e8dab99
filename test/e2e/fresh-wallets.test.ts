import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { readKey, readOrCreateKey, walletTokens, withdraw } from '@payouts/cli';
import { findSponsorAddress, findTokenAddress, freshWalletsOf, sendToBase } from '@payouts/client';
import { serveLoopback } from '@payouts/testing/loopback';
import { commandsBy, payoutHere } from '@payouts/testing/payout';
import { freshWallet, personAt, variedPayees } from '@payouts/testing/wallets';
import { type Employer, World } from '@payouts/testing/world';
import { type Address, getBase58Decoder, type KeyPairSigner, type Signature } from '@solana/kit';
import {
  getCreateAssociatedTokenIdempotentInstructionAsync,
  getTransferCheckedInstruction,
} from '@solana-program/token';
import { beforeAll, describe, expect, it } from 'vitest';

const UNIT = 1_000_000n;
const DECIMALS = 6;

type Listed = {
  readonly wallets: readonly {
    readonly index: number;
    readonly address: Address;
    readonly state: 'paid' | 'under-way';
    readonly tokens: readonly { readonly mint: Address; readonly amount: string }[];
  }[];
  readonly next: { readonly index: number; readonly address: Address };
};
type Withdrawn = {
  readonly state: string;
  readonly withdrawals: readonly { readonly wallet: Address; readonly freshWallet: number }[];
};

describe('fresh wallets', () => {
  let world: World;
  let employer: Employer;
  let me: KeyPairSigner;
  let apiUrl: string;
  /** Who pays fees of transfers from them. */
  let relay: Address;
  /** Where somebody else's withdrawal went. */
  let others: Address;
  /** Of the two that withdrawals went to. */
  const paid: Address[] = [];

  beforeAll(async () => {
    world = await World.shared();
    relay = (await readOrCreateKey(file('relay.json'))).address;
    await world.fund(relay);
    await world.startCoordinator({ RELAY_KEY: file('relay.json') });
    apiUrl = world.apiUrl;
    me = await readOrCreateKey(file('me.json'));
    others = await freshWallet();
    const payees = [{ recipient: me.address, amount: 1_000n * UNIT }, ...(await variedPayees(3, UNIT))];
    employer = await world.employer(payees, { executions: 1 });
    await world.registerAndSettle(employer);
    const other = employer.list.recipients.findIndex(({ recipient }) => recipient !== me.address);
    await withdraw(world.ledgers, { ...personAt(employer, other), amount: 'all', wallet: others });
  });

  const file = (name: string) => join(world.folder, name);
  /** The command on a machine that has this key and nothing else but what the command itself leaves there. */
  const onMachine = (machine: string) =>
    commandsBy((...words) =>
      payoutHere(
        {
          PAYOUT_API: apiUrl,
          PAYOUT_RPC: world.urls.baseRpcUrl,
          PAYOUT_OUTBOX: file(`${machine}/sent`),
          PAYOUT_DEFAULTS: file(`${machine}/defaults.json`),
          NO_COLOR: '1',
        },
        ...words,
        '--keypair',
        file(`${machine}.json`),
      ),
    );
  const list = (machine: string, ...words: string[]) => onMachine(machine).json<Listed>('wallets', 'list', ...words);
  const holding = (amount: bigint) => ({
    state: 'paid',
    tokens: [{ mint: employer.mint, amount: String(amount * UNIT) }],
  });

  it('take withdrawals, each another, and say which before', async () => {
    const { done, json } = onMachine('me');
    const shown = await done('withdraw', '500', '--now', '--dry-run');
    expect(shown).toMatch(/ {2}to your fresh wallet 0, \w{32,44}\n/);
    for (const [index, amount] of ['500', '300'].entries()) {
      const { state, withdrawals } = await json<Withdrawn>('withdraw', amount, '--now', '--to', 'fresh', '--yes');
      expect({ state, withdrawals }).toMatchObject({ state: 'paid', withdrawals: [{ freshWallet: index }] });
      paid.push(withdrawals[0]?.wallet as Address);
    }
    expect(shown).toContain(paid[0]);
    expect(new Set([...paid, me.address]).size).toBe(3);
    await world.arrived(paid[1] as Address, employer, 300n * UNIT);
  });

  it('are not used twice while a withdrawal waits, and again once it is called off', async () => {
    const { json, done } = onMachine('me');
    await json('withdraw', '100', '--to', 'fresh', '--within', '3d', '--yes');
    const waiting = await list('me');
    expect(waiting.wallets[2]).toMatchObject({ index: 2, state: 'under-way', tokens: [] });
    expect(waiting.next.index).toBe(3);
    await done('redirect', '--to', 'fresh', '--within', '3d', '--yes');
    expect((await list('me')).wallets.map(({ index }) => index)).toEqual([0, 1, 3]);
    await done('cancel', '--yes');
    expect((await list('me')).next.index).toBe(2);
  });

  const lamportsOf = async (address: Address) => (await world.ledgers.base.getBalance(address).send()).value;
  /** An account of the token for somebody who is paid from a fresh wallet. */
  async function shopOf(): Promise<Address> {
    const [shop, payer] = [await freshWallet(), world.admin];
    const opening = await getCreateAssociatedTokenIdempotentInstructionAsync({
      payer,
      owner: shop,
      mint: employer.mint,
    });
    await sendToBase(world.ledgers, [opening], payer);
    return shop;
  }

  /** Somebody sends a wallet tokens, which is no payout. */
  async function pay(owner: Address, amount: bigint): Promise<void> {
    const { mint, signer: payer } = employer;
    const opening = await getCreateAssociatedTokenIdempotentInstructionAsync({ payer, owner, mint });
    const [source, destination] = [await findTokenAddress(payer.address, mint), await findTokenAddress(owner, mint)];
    const transfer = { source, mint, destination, authority: payer, amount, decimals: DECIMALS };
    await sendToBase(world.ledgers, [opening, getTransferCheckedInstruction(transfer)], payer);
  }

  it('are spent without SOL: one relay pays for all alike, and lent rent goes back', async () => {
    const { json, refused } = onMachine('me');
    const shop = await shopOf();
    const send = (index: number, amount: string) => ['wallets', 'send', String(index), amount, '--to', shop, '--yes'];
    const sponsor = await findSponsorAddress(employer.mint);
    const [had, lent] = [await lamportsOf(relay), await lamportsOf(sponsor)];
    expect(await refused('wallets', 'send', '0', '1', '--to', await freshWallet(), '--yes')).toBe(
      'transaction-refused',
    );
    expect(await refused(...send(0, '501'))).toBe('insufficient-balance');
    const { signature } = await json<{ signature: Signature }>(...send(0, '120'));
    const sent = await world.ledgers.base
      .getTransaction(signature, { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 })
      .send();
    expect(sent?.transaction.message.accountKeys.slice(0, 2)).toEqual([relay, paid[0]]);
    await json(...send(0, '80.50'));
    expect(await lamportsOf(sponsor)).toBe(lent);
    await json(...send(0, 'all'));
    expect(await walletTokens(world.ledgers, shop, employer.mint)).toBe(500n * UNIT);
    const rent = 2_039_280n;
    expect(await lamportsOf(sponsor)).toBe(lent + rent);
    expect(had - (await lamportsOf(relay))).toBe(3n * 10_000n);
    // Three for each payout; whoever sends such a wallet more tokens has no more of them relayed.
    await pay(paid[0] as Address, UNIT);
    expect(await refused(...send(0, 'all'))).toBe('not-permitted');
    expect(had - (await lamportsOf(relay))).toBe(3n * 10_000n);
  });

  it('are found again with their money by the key alone, also without the coordinator', async () => {
    const key = await readFile(file('me.json'), 'utf8');
    // Nothing of them was kept.
    expect(await readdir(file('me'), { recursive: true }).catch(() => [])).toEqual([]);
    await Promise.all(['me', 'me.json'].map((name) => rm(file(name), { recursive: true, force: true })));
    await writeFile(file('new.json'), key);
    const wallets = [
      { index: 0, address: paid[0], ...holding(1n) },
      { index: 1, address: paid[1], ...holding(300n) },
    ];
    const found = await list('new');
    expect(found).toMatchObject({ recipient: me.address, wallets, next: { index: 2 } });
    const text = await onMachine('new').done('wallets', 'list');
    expect(text).toMatch(new RegExp(`^0 {2}${paid[0]} +1.00 `));
    await world.stopCoordinator();
    expect(await list('new', '--token', employer.mint)).toEqual(found);
    expect(await onMachine('new').refused('wallets', 'list')).toBe('unreachable');
  });

  /** A node before that of the world, which keeps what it is asked, and answers a method otherwise. */
  async function nodeThat(answers: { readonly method?: string; readonly says?: object } = {}) {
    const calls: string[] = [];
    const { url } = await serveLoopback(async (request, response) => {
      const body = await buffer(request);
      calls.push(body.toString());
      const { id, method } = JSON.parse(body.toString()) as { readonly id: number; readonly method: string };
      const headers = { 'content-type': 'application/json' };
      const other = JSON.stringify({ jsonrpc: '2.0', id, ...answers.says });
      const answer = await fetch(world.urls.baseRpcUrl, { method: 'POST', headers, body });
      const text = method === answers.method ? other : await answer.text();
      response.writeHead(answer.status, headers).end(text);
    });
    return { url, calls };
  }

  it('are said to be missing where a node has forgotten what paid them', async () => {
    const listed = ['wallets', 'list', '--token', employer.mint];
    const forgetful = await nodeThat({ method: 'getTransaction', says: { result: null } });
    expect(await onMachine('new').done(...listed, '--rpc', forgetful.url)).toMatch(/has forgotten \d+ transactions/);
    const error = { code: -32_011, message: 'Transaction history is not available from this node' };
    const lacking = await nodeThat({ method: 'getSignaturesForAddress', says: { error } });
    expect(await onMachine('new').refused(...listed, '--rpc', lacking.url)).toBe('ledger-unsupported');
  });

  it('are asked for among everybody’s, so that the node learns neither which are theirs nor which come next', async () => {
    const { url, calls } = await nodeThat();
    const { next } = await list('new', '--token', employer.mint, '--rpc', url);
    const accountOf = (wallet: Address) => findTokenAddress(wallet, employer.mint);
    const everybody = await Promise.all([...paid, others].map(accountOf));
    const asked = calls.filter((call) => everybody.some((account) => call.includes(account)));
    expect(asked).toHaveLength(1);
    for (const account of everybody) expect(asked[0]).toContain(account);
    const row = await freshWalletsOf(me);
    const later = await Promise.all([2, 3, 4].map(async (index) => (await row.at(index)).address));
    expect(later[0]).toBe(next.address);
    for (const name of [me.address, ...paid, ...later, ...(await Promise.all(later.map(accountOf)))]) {
      expect(calls.filter((call) => call.includes(name))).toEqual([]);
    }
  });

  it('are exported, one alone, to a file that only its owner reads, and spend by themselves', async () => {
    const { done, json, refused } = onMachine('new');
    const out = file('wallet.json');
    expect(await refused('wallets', 'export', '1')).toBe('wrong-usage');
    const said = await done('wallets', 'export', '1', '--out', out);
    expect(said).toContain(paid[1]);
    expect((await stat(out)).mode & 0o777).toBe(0o600);
    expect(await refused('wallets', 'export', '0', '--out', out)).toBe('file-exists');
    const bytes = Uint8Array.from(JSON.parse(await readFile(out, 'utf8')) as number[]);
    const text = getBase58Decoder().decode(bytes);
    expect(said).not.toContain(text);
    expect(await json('wallets', 'export', '1', '--base58', '--print')).toMatchObject({ address: paid[1], key: text });

    const wallet = await readKey(out);
    await world.fund(wallet.address);
    const [shop, mint] = [await freshWallet(), employer.mint];
    const [source, destination] = [await findTokenAddress(wallet.address, mint), await findTokenAddress(shop, mint)];
    const opening = await getCreateAssociatedTokenIdempotentInstructionAsync({ payer: wallet, owner: shop, mint });
    const transfer = { source, mint, destination, authority: wallet, amount: 120n * UNIT, decimals: DECIMALS };
    await sendToBase(world.ledgers, [opening, getTransferCheckedInstruction(transfer)], wallet);
    expect(await walletTokens(world.ledgers, shop, mint)).toBe(120n * UNIT);
    expect((await list('new', '--token', mint)).wallets[1]).toMatchObject(holding(180n));
  });
});
