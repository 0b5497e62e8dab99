import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readOrCreateKey } from '@payouts/cli';
import { SAMPLE_DECIMALS } from '@payouts/sandbox';
import { serveLoopback } from '@payouts/testing/loopback';
import { commandsBy, payoutHere } from '@payouts/testing/payout';
import { World } from '@payouts/testing/world';
import type { Address, KeyPairSigner } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';
import { all, type Parsed, parsed, texts, unitsOf } from '../../packages/bank-files/test/parsed.ts';

const UNIT = 10n ** BigInt(SAMPLE_DECIMALS);
const HOUR = 3_600;
const NAMES = ['Ada Lovelace', 'Björn & Søn', 'Cleo'] as const;
const PAY = [1_250.5, 980.25, 0.01] as const;
const HELD = 1;

let world: World;
let env: Record<string, string>;
let employer: KeyPairSigner;
let people: KeyPairSigner[];
let mint: Address;
let schedule: string;
/** Of the payday, by the ledger's clock. */
let month: string;

const file = (name: string) => join(world.folder, name);
const as = (keypair: string) => commandsBy((...words) => payoutHere(env, ...words, '--keypair', file(keypair)));
const { done, refused, json } = commandsBy((...words) =>
  payoutHere(env, ...words, ...(words[0] === 'watch' ? [] : ['--keypair', file('employer.json')])),
);
const message = async (name: string): Promise<Parsed> => parsed(await readFile(file(name), 'utf8'));
const unitsIn = (name: string, path: string) => message(name).then((read) => texts(read, path).map(unitsOf));
const pay = (place: number) => BigInt(Math.round((PAY[place] ?? 0) * 1e6)) * (UNIT / 1_000_000n);
const paid = () => pay(0) + pay(2);
const usd = ['--currency', 'USD'] as const;

beforeAll(async () => {
  world = await World.start();
  await world.startCoordinator();
  env = { PAYOUT_RPC: world.urls.baseRpcUrl, PAYOUT_API: world.apiUrl, PAYOUT_BOOK: file('book'), NO_COLOR: '1' };
  employer = await readOrCreateKey(file('employer.json'));
  people = await Promise.all(NAMES.map((_, place) => readOrCreateKey(file(`person-${place}.json`))));
  mint = await world.giveToken(employer.address, 10_000n * UNIT);
  await done('vault', 'init', '--token', mint, '--yes');
  await done('vault', 'deposit', '9,000', '--token', mint, '--yes');
});

it('takes a payment file as a payroll, and pays it', async () => {
  const rows = people.map(({ address }, place) => [address, PAY[place]?.toFixed(2), NAMES[place]].join(','));
  await writeFile(file('november.csv'), ['recipient,amount,name', ...rows].join('\n'));
  const order = ['bank', 'pain001', file('november.csv'), '--token', mint, '--company', 'Example'];
  expect(await refused(...order, '--out', file('november.xml'))).toBe('currency-unknown');
  expect(await done(...order, ...usd, '--out', file('november.xml'))).toContain('3 payments');
  expect(await refused(...order, ...usd, '--out', file('november.xml'))).toBe('file-exists');
  expect((await stat(file('november.xml'))).mode & 0o077).toBe(0);
  const preview = await done('schedule', 'preview', file('november.xml'), '--token', mint);
  expect(preview).toMatch(/each window +2,230\.76/);
  const terms = ['--token', mint, '--every', '1h', '--timeout', '10m', '--executions', '1'];
  const first = new Date(Date.now() + HOUR * 1_000).toISOString().slice(0, 16);
  const made = await json<{ schedule: string }>(
    ...['schedule', 'create', file('november.xml'), ...terms, '--first', `${first}Z`, '--yes'],
  );
  schedule = made.schedule;
  await done('schedule', 'hold', schedule, people[HELD]?.address as string, '--yes');
  const report = ['bank', 'pain002', schedule, '0', '--payments', file('november.xml'), ...usd];
  expect(await refused(...report, '--out', file('early.xml'))).toBe('run-not-settled');
  // What is paid, and withdrawn after it, is of one month.
  const monthIn = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString().slice(0, 7);
  const [late, later] = [HOUR + 60, HOUR + 360];
  await world.localnet.admin.advanceClock(monthIn(late) === monthIn(later) ? late : later);
  await done('watch', schedule, '--once', '--window', '0');
});

it('a payment file becomes a payroll, and after its payday the bank files say who was paid, to the last unit', async () => {
  const run = [schedule, '0', '--payments', file('november.xml'), ...usd];
  expect(await done('bank', 'pain002', ...run, '--out', file('status.xml'))).toContain('2 of 3 payments were made');
  const status = await message('status.xml');
  const ids = texts(await message('november.xml'), 'EndToEndId');
  expect(texts(status, 'OrgnlEndToEndId')).toEqual(ids);
  expect(texts(status, 'TxSts')).toEqual(PAY.map((_, place) => (place === HELD ? 'RJCT' : 'ACSC')));
  expect(texts(status, 'StsRsnInf/Rsn/Prtry')).toEqual(['HELD']);
  expect(texts(status, 'GrpSts')).toEqual(['PART']);
  await done('bank', 'camt054', ...run, '--out', file('paid.xml'));
  const notified = all(await message('paid.xml'), 'TxDtls').map((details) => [
    texts(details, 'EndToEndId')[0],
    texts(details, 'Cdtr/Pty/Nm')[0],
    texts(details, 'Prxy/Id')[0],
    unitsOf(texts(details, 'Amt')[0]),
  ]);
  const expected = [0, 2].map((place) => [ids[place], NAMES[place], people[place]?.address, pay(place)]);
  expect(notified.toSorted()).toEqual(expected.toSorted());
  expect(await unitsIn('paid.xml', 'Ntry/Amt')).toEqual([paid()]);
  month = (texts(await message('paid.xml'), 'BookgDt/DtTm')[0] ?? '').slice(0, 7);
});

it('reports of no other payment file than the one that was paid', async () => {
  const other = (await readFile(file('november.xml'), 'utf8')).replaceAll('1250.50', '1250.51');
  await writeFile(file('other.xml'), other.replaceAll(/<CtrlSum>[^<]*<\/CtrlSum>/g, ''));
  const report = ['bank', 'pain002', schedule, '0', ...usd, '--out', file('no.xml'), '--payments'];
  expect(await refused(...report, file('other.xml'))).toBe('payments-differ');
  await writeFile(file('bomb.xml'), `<!DOCTYPE a [<!ENTITY b "c">]>${other.replace(/^<\?.*\?>/, '')}`);
  expect(await refused(...report, file('bomb.xml'))).toBe('payment-file-entities');
  expect(await refused('schedule', 'preview', file('bomb.xml'), '--token', mint)).toBe('payment-file-entities');
});

it('a statement of the month adds up to the ledger, and is not made of half a history', async () => {
  await done('vault', 'withdraw', '100.50001', '--token', mint, '--yes');
  const ofMonth = ['bank', 'camt053', '--token', mint, '--month', month, ...usd];
  await done(...ofMonth, '--out', file('account.xml'));
  const money = await json<Record<'deposited' | 'withdrawn' | 'paid', string>>('vault', 'show', '--token', mint);
  const balance = BigInt(money.deposited) - BigInt(money.withdrawn) - BigInt(money.paid);
  expect(balance).toBe(9_000n * UNIT - (10_050_001n * UNIT) / 100_000n - paid());
  const [opening = 0n, closing] = await unitsIn('account.xml', 'Bal/Amt');
  const account = await message('account.xml');
  const change = all(account, 'Stmt/Ntry').reduce((sum, entry) => {
    const amount = unitsOf(texts(entry, 'Amt')[0]);
    return texts(entry, 'CdtDbtInd')[0] === 'CRDT' ? sum + amount : sum - amount;
  }, 0n);
  expect(closing).toBe(balance);
  expect(opening + change).toBe(balance);
  const payRun = all(account, 'Stmt/Ntry').filter((entry) =>
    (texts(entry, 'AddtlNtryInf')[0] ?? '').includes(`Pay run 0 of payroll ${schedule}`),
  );
  expect(payRun).toHaveLength(1);
  // By the ledger's clock, which is an hour ahead of the service's here.
  expect(texts(payRun[0] as Parsed, 'BookgDt/DtTm')).toEqual(texts(await message('paid.xml'), 'BookgDt/DtTm'));
  // A node that has lost a transaction of the vault.
  const forgetful = await serveLoopback(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const { id, method } = JSON.parse(body) as { readonly id: number; readonly method: string };
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(world.urls.baseRpcUrl, { method: 'POST', headers, body });
    const lost = JSON.stringify({ jsonrpc: '2.0', id, result: null });
    response.writeHead(200, headers).end(method === 'getTransaction' ? lost : await answer.text());
  });
  const asked = [...ofMonth, '--out', file('half.xml'), '--rpc', forgetful.url];
  expect(await refused(...asked)).toBe('history-incomplete');
});

it('journals and monthly statements come to what the ledger settled, for the employer and for each recipient', async () => {
  const ofMonth = ['--token', mint, '--month', month];
  const journal = ['bank', 'journal', ...ofMonth, ...usd, '--debit', 'Wages', '--credit', 'Payouts', '--for'];
  expect(await refused(...journal, 'xero', '--out', file('xero.csv'))).toBe('tax-rate-missing');
  await done(...journal, 'xero', '--tax-rate', 'Tax Exempt', '--out', file('xero.csv'));
  await done(...journal, 'quickbooks', '--out', file('quickbooks.csv'));
  expect(await readFile(file('xero.csv'), 'utf8')).toMatch(
    /,Wages,Tax Exempt,1250\.51\n.*,Payouts,Tax Exempt,-1250\.51\n$/,
  );
  expect(await readFile(file('quickbooks.csv'), 'utf8')).toMatch(/,Wages,1250\.51,,.*\n.*,Payouts,,1250\.51,.*\n$/);
  const statement = ['bank', 'statement', ...ofMonth, '--names', file('november.csv'), '--out', file('month')];
  expect(await done(...statement)).toContain('2 payments, as on the ledger');
  expect((await readdir(file('month'))).sort()).toEqual([`${month}.csv`, `${month}.pdf`]);
  const rowsOf = async (folder: string) => {
    const text = await readFile(join(file(folder), `${month}.csv`), 'utf8');
    const [head = [], ...lines] = text
      .trimEnd()
      .split('\n')
      .map((line) => line.split(','));
    return lines.map(
      (cells): Record<string, string> => Object.fromEntries(head.map((name, place) => [name, cells[place] ?? ''])),
    );
  };
  const rows = await rowsOf('month');
  const payments = rows.filter(({ date }) => date !== 'total');
  expect(payments.map(({ name }) => name).sort()).toEqual([NAMES[0], NAMES[2]]);
  expect(payments.reduce((sum, row) => sum + BigInt(row.base_units ?? ''), 0n)).toBe(paid());
  expect(rows.find(({ date }) => date === 'total')?.base_units).toBe(String(paid()));
  expect((await readFile(join(file('month'), `${month}.pdf`))).subarray(0, 5).toString()).toBe('%PDF-');
  for (const [place, folder] of [
    [0, 'own'],
    [HELD, 'nothing'],
  ] as const) {
    await as(`person-${place}.json`).done('receipt', 'statement', month, '--out', file(folder));
    const own = (await rowsOf(folder)).filter(({ date }) => date !== 'total');
    expect(own.map((row) => [row.recipient, row.base_units])).toEqual(
      place === HELD ? [] : [[people[place]?.address, String(pay(place))]],
    );
  }
});
