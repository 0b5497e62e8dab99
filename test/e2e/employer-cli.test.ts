import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readOrCreateKey, walletTokens, writePayroll } from '@payouts/cli';
import { findTokenAddress, type Payee, sendToBase } from '@payouts/client';
import { SAMPLE_DECIMALS } from '@payouts/sandbox';
import { commandsBy, type Printed, payoutHere } from '@payouts/testing/payout';
import { freshWallet } from '@payouts/testing/wallets';
import { World } from '@payouts/testing/world';
import { type Address, fetchEncodedAccount, type KeyPairSigner } from '@solana/kit';
import { getTransferInstruction } from '@solana-program/token';
import { beforeAll, expect, it } from 'vitest';
import { workbookOf } from '../../packages/payroll/test/workbooks.ts';

const UNIT = 10n ** BigInt(SAMPLE_DECIMALS);

let world: World;
let env: Record<string, string>;
let keypair: string;
let employer: KeyPairSigner;
let mint: Address;
let people: Address[];
let schedule: string;

const file = (name: string) => join(world.folder, name);
const run = (...words: readonly string[]): Promise<Printed> => payoutHere(env, ...words);
const { done, refused, json } = commandsBy((...words) =>
  run(...words, ...(['runs', 'watch'].includes(words[0] ?? '') ? [] : ['--keypair', keypair])),
);

beforeAll(async () => {
  world = await World.start();
  await world.startCoordinator();
  env = { PAYOUT_RPC: world.urls.baseRpcUrl, PAYOUT_API: world.apiUrl, PAYOUT_BOOK: file('book'), NO_COLOR: '1' };
  keypair = file('employer.json');
  employer = await readOrCreateKey(keypair);
  mint = await world.giveToken(employer.address, 10_000n * UNIT);
  people = await Promise.all(Array.from({ length: 4 }, freshWallet));
});

const pays = (amounts: readonly number[], from = 0): Payee[] =>
  amounts.map((amount, at) => ({ recipient: people[from + at] as Address, amount: BigInt(amount) * UNIT }));

it('opens a vault, and moves money in and out to the last unit', async () => {
  const ofToken = ['--token', mint] as const;
  expect(await refused('vault', 'show', ...ofToken)).toBe('vault-missing');
  expect(await refused('vault', 'deposit', '5', ...ofToken, '--yes')).toBe('vault-missing');
  expect(await done('vault', 'init', ...ofToken, '--yes')).toContain('Opened: ');
  expect(await done('vault', 'init', ...ofToken)).toContain('already');
  expect(await refused('vault', 'deposit', '10,000.000001', ...ofToken, '--yes')).toBe('tokens-short');
  expect(await refused('vault', 'deposit', '1.0000001', ...ofToken, '--yes')).toBe('wrong-usage');
  expect(await refused('vault', 'deposit', '5', ...ofToken)).toBe('wrong-usage');
  await done('vault', 'deposit', '5', ...ofToken, '--dry-run');
  expect(await json('vault', 'show', ...ofToken)).toMatchObject({ deposited: '0' });
  await done('vault', 'deposit', '9,000.5', ...ofToken, '--yes');
  expect(await refused('vault', 'withdraw', '9,001', ...ofToken, '--yes')).toBe('available-short');
  await done('vault', 'withdraw', '0.500001', ...ofToken, '--yes');
  expect(await done('vault', 'show', ...ofToken)).toMatch(/= available +8,999\.999999 .*\n(.*\n)*The books balance/);
});

it('says in a sentence that the ledger does not answer, or that the key has no SOL', async () => {
  expect(await refused('vault', 'show', '--token', mint, '--rpc', 'http://127.0.0.1:9')).toBe('ledger-unavailable');
  await readOrCreateKey(file('poor.json'));
  const { code, err } = await run('vault', 'init', '--token', mint, '--keypair', file('poor.json'), '--yes');
  expect(code).toBe(1);
  expect(err).toContain('has no SOL for the fee');
});

it('says what was sent to the vault without a deposit, and books it', async () => {
  const ofToken = ['--token', mint] as const;
  expect(await refused('vault', 'book-surplus', ...ofToken, '--yes')).toBe('no-surplus');
  const { vault } = await json<{ vault: Address }>('vault', 'show', ...ofToken);
  const [source, destination] = await Promise.all([
    findTokenAddress(employer.address, mint),
    findTokenAddress(vault, mint),
  ]);
  const transfer = getTransferInstruction({ source, destination, authority: employer, amount: 7n });
  await sendToBase(world.ledgers, [transfer], employer);
  expect(await json('vault', 'show', ...ofToken)).toMatchObject({ surplus: '7' });
  expect(await done('vault', 'show', ...ofToken)).toContain('payout vault book-surplus');
  await done('vault', 'book-surplus', ...ofToken, '--yes');
  expect(await json('vault', 'show', ...ofToken)).toMatchObject({ surplus: '0', available: '9000000006' });
  await done('vault', 'withdraw', '0.000007', ...ofToken, '--yes');
});

it('previews a payroll, and creates nothing from a faulty one', async () => {
  await writePayroll(file('first.csv'), pays([1_000, 500, 250]), SAMPLE_DECIMALS);
  const preview = await done('schedule', 'preview', file('first.csv'), '--token', mint);
  expect(preview).toMatch(/each window +1,750\.00/);
  expect(preview).toContain('What is available in your vault covers 5 windows.');
  await writeFile(file('faulty.csv'), `recipient,amount\n${people[0]},ten\n${people[1]}0,5\n`);
  const create = ['schedule', 'create', file('faulty.csv'), '--token', mint, '--executions', '2', '--yes'];
  const { code, err } = await run(...create, '--keypair', keypair);
  expect(code).toBe(1);
  expect(err).toMatch(/Line 2: The amount is not a number(.*\n)*.*Line 3: The recipient is not an address/);
  expect(await json('schedule', 'list', '--token', mint)).toEqual([]);
});

it('takes a workbook, asks by which option to answer what it leaves open, and says what it took for what', async () => {
  const wages = (name: string, salary: number, net: number) => ({
    name,
    rows: [
      ['Employee', 'Wallet', 'Salary', 'Net pay'],
      ['Ada', people[0] as string, salary, net],
    ],
  });
  await writeFile(
    file('wages.xlsx'),
    await workbookOf({ sheets: [wages('June', 9, 8), wages('July', 1_200, 1_000.5)] }),
  );
  const preview = ['schedule', 'preview', file('wages.xlsx'), '--token', mint];
  const said = (text: string) => text.replace(/\s+/g, ' ');
  const refusal = async (...more: readonly string[]) =>
    said((await run(...preview, ...more, '--keypair', keypair)).err);
  expect(await refusal()).toContain('Pass --sheet. It has “June”, “July”.');
  expect(await refusal('--sheet', 'July')).toContain('Pass --map amount=COLUMN. It has “Salary”, “Net pay”.');
  const taken = said(await done(...preview, '--sheet', 'July', '--map', 'amount=Net pay'));
  expect(taken).toContain('each window 1,000.50');
  expect(taken).toContain('“Wallet” is the recipient, “Net pay” is the amount');
  expect(taken).toContain('The column “Salary” is not read.');
});

it('promises a payroll, which is paid, and shows what became of it', async () => {
  const terms = ['--token', mint, '--every', '1h', '--timeout', '10m'];
  const create = ['schedule', 'create', file('first.csv'), ...terms];
  expect(await refused(...create, '--executions', '6', '--yes')).toBe('available-short');
  const { schedule: made } = await json<{ schedule: string }>(...create, '--executions', '3', '--yes');
  schedule = made;
  await done('watch', schedule, '--window', '0', '--once');
  expect(await done('runs', schedule)).toMatch(/0 +settled +3 of 3/);
  const shown = await done('schedule', 'show', schedule);
  expect(shown).toMatch(/paid so far +1,750\.00/);
  expect(shown).toMatch(/list +registered/);
  expect(await done('schedule', 'list', '--token', mint)).toContain(schedule);
});

it('pays a list once, waits until it is paid, and has the rent back', async () => {
  await writePayroll(file('bonus.csv'), pays([30, 20]), SAMPLE_DECIMALS);
  const now = ['schedule', 'pay-once', file('bonus.csv'), '--token', mint];
  expect(await done(...now, '--dry-run')).toContain('Paid once, from ');
  const before = (await json<readonly unknown[]>('schedule', 'list', '--token', mint)).length;
  const paid = await json<{ schedule: Address; paid: number }>(...now, '--yes');
  expect(paid).toMatchObject({ paid: 2 });
  expect((await fetchEncodedAccount(world.ledgers.base, paid.schedule)).exists).toBe(false);
  expect(await json('schedule', 'list', '--token', mint)).toHaveLength(before);
  expect(await done('runs', paid.schedule)).toMatch(/0 +settled +2 of 2/);
  const later = await json<{ schedule: string }>(...now, '--yes', '--no-wait');
  await done('watch', later.schedule, '--once', '--window', '0');
  // Until it is closed, the same command is one that did not come to its end, unless it says otherwise.
  const wanted = await json<{ schedule: string }>(...now, '--yes', '--no-wait', '--again');
  expect(wanted.schedule).not.toBe(later.schedule);
  expect(await done(...now, '--yes')).toContain('Paid 2 of 2, and closed');
  expect(await done(...now, '--yes')).toMatch(/goes\s+on\s+with\s+it,\s+and\s+promises\s+nothing/);
  expect(await json<readonly unknown[]>('schedule', 'list', '--token', mint)).toHaveLength(before);
  const again = await json<{ schedule: string }>(...now, '--yes', '--no-wait');
  await done('watch', again.schedule, '--once', '--window', '0');
  expect(await refused('schedule', 'pay-unpaid', again.schedule, '0', '--yes')).toBe('nobody-unpaid');
  await done('schedule', 'close', again.schedule, '--yes');
});

it('is paid on dates that the employer signs: shown before, kept on the ledger, and more of them with more windows', async () => {
  await writePayroll(file('daily.csv'), pays([3, 2]), SAMPLE_DECIMALS);
  // A day that is named has begun; the ledger's clock shows a minute of it.
  const minute = new Date(Math.floor(Date.now() / 60_000) * 60_000).toISOString();
  const rule = ['--every', '1d', '--zone', 'UTC', '--first', minute.slice(0, 10), '--at', minute.slice(11, 16)];
  const create = ['schedule', 'create', file('daily.csv'), '--token', mint, ...rule];
  expect(await refused(...create, '--zone', 'Mars/Olympus', '--executions', '2', '--yes')).toBe('wrong-usage');
  expect(await done(...create, '--executions', '2', '--dry-run')).toMatch(
    /Pay days \(UTC\):\n( +\w{3} \d+ \w{3} \d{4} \d\d:\d\d\n){2}/,
  );
  const { schedule: dated } = await json<{ schedule: Address }>(...create, '--executions', '2', '--yes');
  await done('watch', dated, '--once', '--window', '0');
  type Shown = { calendar: { dates: string[] }; nextExecution: number };
  const before = await json<Shown>('schedule', 'show', dated);
  const due = Date.parse(minute) + 86_400_000;
  expect(before).toMatchObject({
    nextExecution: due,
    calendar: { dates: [String(due / 1_000)] },
  });
  expect(await refused('schedule', 'fund', dated, '--executions', '2', '--yes')).toBe('dates-needed');
  await done('schedule', 'fund', dated, '--executions', '2', ...rule, '--yes');
  const { calendar } = await json<Shown>('schedule', 'show', dated);
  expect(calendar.dates).toEqual([0, 1, 2].map((days) => String(due / 1_000 + days * 86_400)));
  await done('schedule', 'cancel', dated, '--yes');
  await done('schedule', 'close', dated, '--yes');
});

it('replaces a list: says what changes, keeps balances, and reserves what more it takes', async () => {
  await writePayroll(file('second.csv'), [...pays([1_400, 500]), ...pays([40], 3)], SAMPLE_DECIMALS);
  const preview = await done('schedule', 'preview', file('second.csv'), '--schedule', schedule);
  expect(preview).toContain('Against the current list: 1 raise of 40 %, 1 newcomer, 1 leaver.');
  const update = await done('schedule', 'update', schedule, file('second.csv'), '--yes');
  expect(update).toContain('Reserves 380.00');
  const listOf = async () => (await json<{ reserved: string }>('vault', 'show', '--token', mint)).reserved;
  expect(BigInt(await listOf())).toBe(2n * 1_940n * UNIT);
});

it('registers again from the employer’s own copy when the coordinator has lost it', async () => {
  await world.stopCoordinator();
  await world.startCoordinator({ DATA_DIR: file('another') });
  env.PAYOUT_API = world.apiUrl;
  expect(await done('schedule', 'show', schedule)).toContain('not registered with this coordinator');
  await done('schedule', 'register', schedule, '--dry-run');
  expect(await done('schedule', 'show', schedule)).toContain('not registered with this coordinator');
  expect(await done('schedule', 'register', schedule, '--yes')).toContain('Registered.');
  expect(await done('schedule', 'register', schedule, '--yes')).toContain('had it already');
  expect(await refused('schedule', 'register', schedule, '--list', file('first.csv'))).toBe('list-unreadable');
});

it('holds a recipient back and pays them again, and says what that means', async () => {
  const [who = '', stranger = ''] = [people[1], await freshWallet()];
  expect(await refused('schedule', 'hold', schedule, stranger, '--yes')).toBe('recipient-unknown');
  expect(await refused('schedule', 'release', schedule, who, '--yes')).toBe('not-held');
  const shown = async () => done('schedule', 'show', schedule);
  await done('schedule', 'hold', schedule, who, '--dry-run');
  expect(await shown()).toMatch(/held back +nobody/);
  const held = await done('schedule', 'hold', schedule, who, '--yes');
  expect(held).toContain(`Holds back ${who}\n500.00`);
  expect(held).toMatch(/from\swindow\s1\son,\sdue\s[^.]*UTC/);
  expect(await shown()).toMatch(/held back +1 recipient/);
  expect(await refused('schedule', 'hold', schedule, who, '--yes')).toBe('already-held');
  expect(await done('schedule', 'release', schedule, who, '--yes')).toContain('500.00');
  expect(await shown()).toMatch(/held back +nobody/);
});

it('keeps who is held back so in another list, until they are released or the employer says otherwise', async () => {
  const who = people[1] as Address;
  const heldBack = async () => /held back +(.*)/.exec(await done('schedule', 'show', schedule))?.[1];
  const update = async (name: string, payees: Payee[], ...options: string[]) => {
    await writePayroll(file(name), payees, SAMPLE_DECIMALS);
    return done('schedule', 'update', schedule, file(name), ...options);
  };
  await done('schedule', 'hold', schedule, who, '--yes');
  const others = [...pays([1_400, 500]), ...pays([40], 2)];
  expect(await update('third.csv', others, '--yes')).toContain('1 person who is held back stays so');
  expect(await heldBack()).toMatch(/^1 recipient/);
  expect(await refused('schedule', 'hold', schedule, who, '--yes')).toBe('already-held');
  const without = [...pays([1_400]), ...pays([540], 2)];
  expect(await update('without.csv', without, '--yes')).toContain('1 person who is held back is not in the list.');
  expect(await heldBack()).toBe('nobody');
  await update('third.csv', others, '--yes');
  await done('schedule', 'hold', schedule, who, '--yes');
  const second = [...pays([1_400, 500]), ...pays([40], 3)];
  expect(await update('second.csv', second, '--yes', '--release-held')).toContain(
    'Whoever is held back now is paid by the next list again',
  );
  expect(await heldBack()).toBe('nobody');
});

it('takes token, ledger and schedule from what payout use has saved, and says so', async () => {
  const saved = { PAYOUT_DEFAULTS: file('defaults.json'), PAYOUT_BOOK: file('book'), NO_COLOR: '1' };
  const bare = commandsBy((...words) => payoutHere(saved, ...words));
  const where = ['--rpc', world.urls.baseRpcUrl, '--api', world.apiUrl, '--keypair', keypair];
  expect(await bare.refused('vault', 'show')).toBe('wrong-usage');
  await bare.done('use', ...where, '--token', mint, '--schedule', schedule);
  expect(await bare.done('vault', 'show')).toContain('The books balance');
  const paused = await bare.done('schedule', 'pause', '--yes');
  for (const part of ['Saved by payout use:', `--schedule ${schedule}`, `--rpc ${world.urls.baseRpcUrl}`]) {
    expect(paused).toContain(part);
  }
  expect(await bare.done('schedule', 'show')).toContain('paused');
  await bare.done('schedule', 'resume', '--yes');
  expect(await bare.done('schedule', 'preview', file('first.csv'), '--schedule', schedule)).not.toContain(
    `--token ${mint}`,
  );
  await bare.done('use', '--clear');
  expect(await bare.refused('schedule', 'pause', '--yes')).toBe('wrong-usage');
});

it('pauses, resumes, funds and ends a schedule, and says why it can’t', async () => {
  expect(await refused('schedule', 'resume', schedule, '--yes')).toBe('wrong-status');
  await done('schedule', 'pause', schedule, '--yes');
  expect(await done('schedule', 'list', '--token', mint)).toContain('paused');
  await done('schedule', 'resume', schedule, '--yes');
  await done('schedule', 'fund', schedule, '--executions', '1', '--yes');
  expect(await refused('schedule', 'fund', schedule, '--executions', '9', '--yes')).toBe('available-short');
  expect(await refused('schedule', 'close', schedule, '--yes')).toBe('wrong-status');
  expect(await done('schedule', 'cancel', schedule, '--yes')).toContain('3 windows are not paid, and 5,820.00');
  const money = await json<Record<string, string>>('vault', 'show', '--token', mint);
  expect(money).toMatchObject({ reserved: '0', open: '0', paid: String(1_955n * UNIT) });
  const other = file('other.json');
  await readOrCreateKey(other);
  const { code, err } = await run('schedule', 'cancel', schedule, '--keypair', other, '--yes');
  expect(code).toBe(1);
  expect(err).toContain('You have no vault of');
});

it('closes an ended schedule and an empty vault, whose tokens go home, and opens it again', async () => {
  const ofToken = ['--token', mint] as const;
  expect(await refused('vault', 'close', ...ofToken, '--yes')).toBe('schedules-left');
  expect(await refused('schedule', 'hold', schedule, people[1] as Address, '--yes')).toBe('wrong-status');
  expect(await done('schedule', 'close', schedule, '--yes')).toContain('Closed.');
  expect(await refused('schedule', 'close', schedule, '--yes')).toBe('schedule-unknown');
  expect(await done('vault', 'close', ...ofToken, '--dry-run')).toContain('go to your own wallet');
  await done('vault', 'close', ...ofToken, '--yes');
  expect(await refused('vault', 'show', ...ofToken)).toBe('vault-missing');
  const { address } = await readOrCreateKey(keypair);
  expect(await walletTokens(world.ledgers, address, mint)).toBe((10_000n - 1_955n) * UNIT);
  expect(await done('vault', 'init', ...ofToken, '--yes')).toContain('Opened: ');
});
