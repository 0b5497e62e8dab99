import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readOrCreateKey } from '@payouts/cli';
import {
  fetchSchedule,
  findScheduleAddress,
  findVaultAddress,
  type PayslipJson,
  payslipFromJson,
} from '@payouts/client';
import { SAMPLE_DECIMALS } from '@payouts/sandbox';
import { commandsBy, type Printed, payoutHere } from '@payouts/testing/payout';
import { freshWallet } from '@payouts/testing/wallets';
import { World } from '@payouts/testing/world';
import type { Address, KeyPairSigner } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';

const UNIT = 10n ** BigInt(SAMPLE_DECIMALS);
const TERMS = ['--every', '1h', '--timeout', '10m', '--executions', '2'] as const;
const RATES = ['--rate-source', 'ECB 2026-11-27'] as const;

let world: World;
let env: Record<string, string>;
let employer: KeyPairSigner;
let approver: KeyPairSigner;
let mints: Address[];
let people: Address[];
let promised: { readonly schedule: Address; readonly token: Address }[];

const file = (name: string) => join(world.folder, name);
const run = (...words: readonly string[]): Promise<Printed> => payoutHere(env, ...words);
const as = (who: 'employer' | 'approver') => commandsBy((...words) => run(...words, '--keypair', file(`${who}.json`)));
const named = () => promised.map(({ schedule }) => schedule).join(',');
/** 1 EUR in the first token. */
const euro = () => ['--rate', `EUR/${mints[0]}=1.0834`, ...RATES] as const;

/** Ada is paid in both tokens, and in euros; the others in one. */
const payroll = (salary: string, bonus: string) =>
  [
    'Name,Wallet,Net pay,Currency,Token',
    `Ada,${people[0]},"${salary}",EUR,${mints[0]}`,
    `Ben,${people[1]},333.33,EUR,${mints[0]}`,
    `Cleo,${people[2]},500.5,,${mints[0]}`,
    `Ada,${people[0]},${bonus},,${mints[1]}`,
    '',
  ].join('\n');

beforeAll(async () => {
  world = await World.start();
  await world.startCoordinator();
  env = { PAYOUT_RPC: world.urls.baseRpcUrl, PAYOUT_API: world.apiUrl, PAYOUT_BOOK: file('book'), NO_COLOR: '1' };
  [employer, approver] = (await Promise.all(
    ['employer', 'approver'].map((who) => readOrCreateKey(file(`${who}.json`))),
  )) as [KeyPairSigner, KeyPairSigner];
  await world.fund(approver.address);
  mints = [];
  for (let at = 0; at < 4; at++) mints.push(await world.giveToken(employer.address, 100_000n * UNIT));
  for (const mint of mints) {
    await as('employer').done('vault', 'init', '--token', mint, '--yes');
    await as('employer').done('vault', 'deposit', '50,000', '--token', mint, '--yes');
  }
  people = await Promise.all(Array.from({ length: 3 }, freshWallet));
});

const scheduleCount = async (mint: Address) =>
  (await as('employer').json<unknown[]>('schedule', 'list', '--token', mint)).length;

it('promises a payroll in two tokens, with salaries in euros, by one preview, one signature, and all or nothing', async () => {
  await writeFile(file('payroll.csv'), payroll('2,000.00', '75.25'));
  const create = ['schedule', 'create', file('payroll.csv'), ...TERMS];
  expect(await as('employer').refused(...create, '--yes')).toBe('rate-missing');
  expect(await as('employer').refused(...create, '--rate', 'EUR=0', '--yes')).toBe('rate-invalid');
  expect(await as('employer').refused(...create, ...euro(), '--rate', 'GBP=1.2', '--yes')).toBe('rate-unused');
  // Without enough of one token, nothing of the other is promised.
  await writeFile(file('dear.csv'), payroll('2,000.00', '40000'));
  expect(await as('employer').refused('schedule', 'create', file('dear.csv'), ...TERMS, ...euro(), '--yes')).toBe(
    'available-short',
  );
  expect([await scheduleCount(mints[0] as Address), await scheduleCount(mints[1] as Address)]).toEqual([0, 0]);

  const shown = (await as('employer').done(...create, ...euro(), '--dry-run')).replace(/\s+/g, ' ');
  expect(shown).toContain('2 new schedules, one for each token,');
  expect(shown).toContain('Converts 2 amounts of 2,333.33 EUR in all, at 1 EUR = 1.0834 ');
  expect(shown).toContain('(ECB 2026-11-27): 2,527.929722 ');
  expect(shown).toContain('Ada 2,000.00 EUR → 2,166.80 ');
  expect(shown).toContain('One transaction promises all of them, or none.');
  const made = await as('employer').json<{ signature: string; schedules: typeof promised }>(
    ...create,
    ...euro(),
    '--yes',
  );
  promised = made.schedules;
  expect(promised.map(({ token }) => token)).toEqual(mints.slice(0, 2));
  const listed = await as('employer').json<typeof promised>('schedule', 'list');
  expect(new Set(listed.map(({ schedule, token }) => `${schedule} ${token}`))).toEqual(
    new Set(promised.map(({ schedule, token }) => `${schedule} ${token}`)),
  );
  const schedules = await Promise.all(promised.map(({ schedule }) => fetchSchedule(world.ledgers.base, schedule)));
  expect(schedules.map(({ data }) => data.amount)).toEqual([3_028_429_722n, 75_250_000n]);
  expect(schedules[0]?.data.nextExecution).toBe(schedules[1]?.data.nextExecution);
  expect(made.signature).toMatch(/^[1-9A-HJ-NP-Za-km-z]{80,90}$/);
});

it('writes rate and currency on each payslip, in the employer’s own hand, and payslips add up to what the ledgers settled', async () => {
  let settled = 0n;
  for (const { schedule } of promised) {
    expect(await run('watch', schedule, '--window', '0', '--once')).toMatchObject({ code: 0 });
    const out = file(`payslips-${schedule}`);
    await as('employer').done('receipt', 'export', schedule, '0', '--out', out, '--no-pdf');
    const names = (await readdir(out)).filter((name) => /^window.*json$/.test(name));
    const payslips = await Promise.all(
      names.map(async (name) => payslipFromJson(JSON.parse(await readFile(join(out, name), 'utf8')) as PayslipJson)),
    );
    const sum = payslips.reduce((total, { leaf }) => total + leaf.amount, 0n);
    expect(sum).toBe((await fetchSchedule(world.ledgers.base, schedule)).data.paidTotal);
    settled += sum;
    const ada = payslips.find(({ leaf, note }) => leaf.recipient === people[0] && note !== undefined);
    if (schedule !== promised[0]?.schedule) {
      expect(payslips.every(({ note }) => note === undefined)).toBe(true);
      continue;
    }
    expect(ada?.note).toMatchObject({
      currency: 'EUR',
      amount: '2000',
      rate: '1.0834',
      source: 'ECB 2026-11-27',
      issuer: employer.address,
    });
    expect(payslips.filter(({ note }) => note === undefined).map(({ leaf }) => leaf.recipient)).toEqual([people[2]]);
    const slip = join(out, names.find((_, at) => payslips[at] === ada) as string);
    const verified = await run('receipt', 'verify', slip);
    expect(verified.out).toContain('2,000.00 EUR');
    expect(verified.out).toContain('(ECB 2026-11-27)');
    // Another rate is not what the employer has signed, and does not give what was paid.
    const forged = (await readFile(slip, 'utf8')).replace('"rate":"1.0834"', '"rate":"1.2"');
    await writeFile(file('forged.json'), forged);
    const refused = await run('receipt', 'verify', file('forged.json'));
    expect(refused.code).toBe(1);
    expect(refused.out).toContain('does not give what was paid');
  }
  expect(settled).toBe(3_028_429_722n + 75_250_000n);
});

it('replaces both lists by one changed file, and pauses, resumes and cancels both as one', async () => {
  await writeFile(file('december.csv'), payroll('2,100.00', '80'));
  const update = ['schedule', 'update', named(), file('december.csv'), ...euro()];
  const shown = (await as('employer').done(...update, '--dry-run')).replace(/\s+/g, ' ');
  expect(shown.match(/1 raise of/g)).toHaveLength(2);
  expect(shown).toContain('One transaction replaces all of them, or none.');
  const one = ['schedule', 'update', promised[0]?.schedule as string, file('december.csv'), ...euro()];
  expect(await as('employer').refused(...one, '--yes')).toBe('payroll-faulty');
  await as('employer').done(...update, '--yes');
  const amounts = async () =>
    Promise.all(promised.map(async ({ schedule }) => (await fetchSchedule(world.ledgers.base, schedule)).data.amount));
  expect(await amounts()).toEqual([3_136_769_722n, 80_000_000n]);

  await as('employer').done('schedule', 'pause', named(), '--yes');
  expect(await as('employer').refused('schedule', 'pause', named(), '--yes')).toBe('wrong-status');
  await as('employer').done('schedule', 'resume', named(), '--yes');
  await as('employer').done('schedule', 'register', named(), '--yes');
  await as('employer').done('schedule', 'cancel', named(), '--yes');
});

it('lets the approver agree to all of it at once, having seen the currencies', async () => {
  for (const mint of mints.slice(0, 2))
    await as('employer').done(
      'vault',
      'approval',
      'set',
      '--token',
      mint,
      '--approver',
      approver.address,
      '--limit',
      '1',
      '--yes',
    );
  const create = [
    'schedule',
    'create',
    file('payroll.csv'),
    ...TERMS,
    ...euro(),
    '--proposal',
    file('proposal.json'),
    '--yes',
  ];
  const { schedules } = await as('employer').json<{ schedules: typeof promised }>(...create);
  const approve = [
    'schedule',
    'approve',
    schedules.map(({ schedule }) => schedule).join(','),
    '--list',
    file('proposal.json'),
  ];
  const shown = (await as('approver').done(...approve, '--dry-run')).replace(/\s+/g, ' ');
  expect(shown.match(/A new schedule, /g)).toHaveLength(2);
  expect(shown).toContain('2,000.00 EUR → 2,166.80 ');
  await as('approver').done(...approve, '--yes');
  const statuses = await as('employer').json<{ status: string }>('schedule', 'show', schedules[1]?.schedule as string);
  expect(statuses.status).toBe('active');
});

it('takes three tokens in a transaction, and says so where there are more', async () => {
  const lines = (count: number) => mints.slice(-count).map((mint) => `${people[0]},5,${mint}`);
  await writeFile(file('four.csv'), ['recipient,amount,token', ...lines(4)].join('\n'));
  const terms = (name: string) => ['schedule', 'create', file(name), ...TERMS, '--yes'];
  expect(await as('employer').refused(...terms('four.csv'))).toBe('transaction-too-large');
  const last = await findScheduleAddress(await findVaultAddress(employer.address, mints[3] as Address), 0n);
  expect((await world.ledgers.base.getAccountInfo(last, { encoding: 'base64' }).send()).value).toBeNull();
  await writeFile(file('three.csv'), ['recipient,amount,token', ...lines(3)].join('\n'));
  const { schedules } = await as('employer').json<{ schedules: typeof promised }>(...terms('three.csv'));
  expect(schedules).toHaveLength(3);
});
