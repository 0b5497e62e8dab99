import { systemTime, TOKEN_PROGRAM_ADDRESS } from '@payouts/client';
import type { Address } from '@solana/kit';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../src/store/db/openDatabase.ts';
import { prepareDatabase } from '../src/store/db/prepare.ts';
import { keepDecided } from '../src/store/queries/rounds.ts';
import { addSchedule } from './support/addSchedule.ts';
import { useLedger } from './support/ledgerStub.ts';
import { operate, operatorSettings } from './support/operator.ts';
import { randomAddress } from './support/promised.ts';
import { putRun } from './support/runs.ts';
import { useSharedPostgres } from './support/servers.ts';
import { temporaryFolder } from './support/temporary.ts';

const UNIT = 1_000_000;
const postgres = useSharedPostgres();
const ledger = useLedger();
let database: Database;
let settings: Record<string, string | undefined>;
let mint: Address;
let name: string;

beforeEach(async () => {
  const folder = temporaryFolder();
  const databaseUrl = await postgres.createDatabase();
  database = await openDatabase({ databaseUrl, dataDir: folder, onError: () => {} });
  await prepareDatabase(database, databaseUrl, systemTime);
  settings = operatorSettings(folder, { DATABASE_URL: databaseUrl, BASE_RPC_URL: ledger.url });
  mint = randomAddress();
  name = `${mint.slice(0, 4)}…${mint.slice(-4)}`;
  const token = new Uint8Array(82);
  token[44] = 6;
  ledger.put(mint, token, TOKEN_PROGRAM_ADDRESS);
  return () => database.close();
});

const rounds = (...words: string[]) => operate(settings, 'rounds', ...words);

describe('rounds show', () => {
  it('shows what holds, what is announced, and what has been paid lately suggests', async () => {
    expect((await rounds('show')).printed).toBe('No schedule is registered.\n');
    const schedule = await addSchedule(database.query, { mint, recipients: 10 });
    expect((await rounds('show')).printed).toBe(
      `${name}  ${mint}\n  no size is set: nobody can take out in rounds\n` +
        '  nothing is proposed: no schedule has settled three windows in three months\n',
    );
    for (const window of [0, 1, 2]) {
      const id = await putRun(database.query, { schedule, window, state: 'settled', finished: Date.now() });
      const paid = { paid_amount: String(10_000 * UNIT) };
      await database.query.updateTable('execution_runs').set(paid).where('id', '=', id).execute();
    }
    await rounds('set', mint, '1000');
    await keepDecided(database.query, { mint, round: 4_000_000_000n, leaves: true, parts: 9, people: 3 });
    await rounds('set', mint, '0.05');
    const time = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC`;
    const { printed } = await rounds('show');
    expect(printed).toMatch(
      new RegExp(
        `^${name}  ${mint}\n  parts of 1,000\\.00 ${name} since ${time}\n  parts of 0\\.05 ${name} from ${time} on\n` +
          `  proposed: parts of 500\\.00 ${name}, by what has been paid in three months \\(schedules: 1\\)\n$`,
      ),
    );
    expect(JSON.parse((await rounds('show', '--json')).printed)).toMatchObject([
      {
        mint,
        size: { size: '1000000000' },
        nextSize: { size: '50000' },
        proposed: { size: '500000000', schedules: 1 },
      },
    ]);
  });
});

describe('rounds set', () => {
  it('has the first size hold at once, and says from when on another one does', async () => {
    expect((await rounds('set', mint, '500')).printed).toBe(`Parts of 500.00 ${name} hold now.\n`);
    await keepDecided(database.query, { mint, round: 4_000_000_000n, leaves: true, parts: 9, people: 3 });
    const { size, from } = JSON.parse((await rounds('set', mint, '20', '--json')).printed);
    expect(size).toBe('20000000');
    const days = Math.round((from - Date.now()) / 86_400_000);
    expect(days).toBe(182);
    expect((await rounds('set', mint, '20')).printed).toContain('anybody can read that until then');
  });

  it('takes nothing but 1, 2 or 5 with noughts', async () => {
    for (const size of ['', '3', '15', '550', '0', '-5', '1,000', '0.15', '5e2', '05', '1.0']) {
      expect({ size, ...(await rounds('set', mint, size)) }).toMatchObject({ size, code: 2, printed: '' });
    }
  });

  it('takes no size that the token has no decimals for, and no token that is none', async () => {
    expect(await rounds('set', mint, '0.0000005')).toMatchObject({ code: 1, said: '✖ The token has 6 decimals.\n' });
    const other = randomAddress();
    expect((await rounds('set', other, '5')).said).toBe(`✖ The base ledger has no token ${other}.\n`);
    expect(await rounds('set', 'nonsense', '5')).toMatchObject({ code: 2 });
  });
});
