import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { DELEGATION_PROGRAM_ADDRESS, findBatchAddress, prepareList, SchedulePhase, systemTime } from '@payouts/client';
import type { Address } from '@solana/kit';
import { beforeEach, describe, expect, it } from 'vitest';
import type { RunKey, RunState } from '../src/domain/run.ts';
import { type Database, openDatabase } from '../src/store/db/openDatabase.ts';
import { prepareDatabase } from '../src/store/db/prepare.ts';
import { endAttempt } from '../src/store/queries/attempts.ts';
import { saveCoverage, saveObservedVaults } from '../src/store/queries/funds.ts';
import { findRun, finishRun, type RunRow } from '../src/store/queries/runs.ts';
import { keepTransaction } from '../src/store/queries/transactions.ts';
import { addSchedule } from './support/addSchedule.ts';
import { useLedger } from './support/ledgerStub.ts';
import { operate, operatorSettings } from './support/operator.ts';
import { scheduleOver, somePayees } from './support/promised.ts';
import { resumableRuns } from './support/resumable.ts';
import { addRun, begin, newTransaction, stopRun } from './support/runs.ts';
import { useSharedPostgres } from './support/servers.ts';
import { temporaryFolder } from './support/temporary.ts';

const REASON = 'Mrs Example has left; her bank closed the account, ask the finance department';
const SIGNATURE = '3AsdoALgZFuq2oUVWrDYhg2pNeaLJKPLf8hU2mQ6U8qJxeJ6hsrPVpMn9ma39DtfYCrDQSvngWRP8NnTpEhezJpE';

const postgres = useSharedPostgres();
const ledger = useLedger();
let database: Database;
let settings: Record<string, string | undefined>;

beforeEach(async () => {
  const folder = temporaryFolder();
  const databaseUrl = await postgres.createDatabase();
  database = await openDatabase({ databaseUrl, dataDir: folder, onError: () => {} });
  await prepareDatabase(database, databaseUrl, systemTime);
  ledger.isBroken = false;
  settings = operatorSettings(folder, { DATABASE_URL: databaseUrl, BASE_RPC_URL: ledger.url });
  return () => database.close();
});

const runs = (...words: string[]) => operate(settings, 'runs', ...words);
const nameOf = ({ schedule, window }: RunKey) => `${schedule}:${window}`;

/** A run that has stopped with a code, after one try with a transaction. */
async function stopped(
  state: Exclude<RunState, 'queued' | 'running' | 'cancelled' | 'settled'>,
  code: string | null = 'liabilities-mismatch',
  schedule?: string,
): Promise<RunKey> {
  const { query } = database;
  const address = schedule ?? (await addSchedule(query, {}));
  const { rows } = await database.pool.query(
    'select count(*)::integer as count from execution_runs where schedule = $1',
    [address],
  );
  const key = { schedule: address, window: BigInt(rows[0].count) };
  // One reading: the try took five seconds, however long it takes to write that down.
  const now = Date.now();
  await addRun(query, key, { recipients: 500, at: now - 7_200_000 });
  const { run, attemptId } = await begin(query, key, 'commit', now - 7_100_000);
  const detail = 'The liabilities tree has 12 base units less than the pool holds.';
  await endAttempt(query, attemptId, { outcome: 'failed', code, detail }, { landed: [] }, now - 7_095_000);
  await stopRun(query, run.id, { state, code, detail, resumeAt: null });
  return key;
}

/** Puts the window of a run on the ledger: as the next one, open in the layer, or over. */
async function putWindow({ schedule, window }: RunKey, stands: 'unopened' | 'delegated' | 'settled'): Promise<void> {
  const list = prepareList(somePayees(3));
  const isOpen = stands === 'delegated';
  const seconds = BigInt(Math.floor(Date.now() / 1_000));
  ledger.putSchedule(
    schedule as Address,
    scheduleOver(list, {
      window: stands === 'settled' ? window + 1n : window,
      phase: isOpen ? SchedulePhase.Open : SchedulePhase.Idle,
      openedAt: isOpen ? seconds - 7_000n : 0n,
      nextExecution: seconds - 7_200n,
    }),
  );
  const batch = await findBatchAddress(schedule as Address);
  // Whose it is tells where it is.
  ledger.put(batch, new Uint8Array(200), isOpen ? DELEGATION_PROGRAM_ADDRESS : undefined);
}

const runOf = async (key: RunKey) => (await findRun(database.query, key)) as RunRow;
const stateOf = async (key: RunKey) => (await runOf(key)).state;
const settle = async (key: RunKey) =>
  finishRun(database.query, (await runOf(key)).id, { state: 'settled', paidAmount: 5n, at: Date.now() });
const takenUp = async () =>
  (await resumableRuns(database.query, Date.now())).map(
    ({ schedule, window_number }) => `${schedule}:${window_number}`,
  );

describe('runs list', () => {
  it('shows runs that are not over in 80 columns, newest first, or those of one state or schedule', async () => {
    const exhausted = await stopped('exhausted', 'key-service-unavailable');
    const held = await stopped('held', 'funding-short');
    const settled = await stopped('exhausted');
    await settle(settled);

    const { code, printed } = await runs('list');
    expect(code).toBe(0);
    const lines = printed.trimEnd().split('\n');
    expect(lines.map((line) => line.length).filter((length) => length > 80)).toEqual([]);
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatch(/^held +commit +0\/500 paid +2 h ago +funding-short$/);
    expect(lines[1]).toBe(`  ${nameOf(held)}`);
    expect(lines[3]).toBe(`  ${nameOf(exhausted)}`);

    expect((await runs('list', '--state', 'settled')).printed).toContain(nameOf(settled));
    expect((await runs('list', '--schedule', held.schedule)).printed).not.toContain(nameOf(exhausted));
    expect((await runs('list', '--state', 'failed')).printed).toBe('There are no such runs.\n');
    expect((await runs('list', '--limit', '1')).printed).toContain('There are more than these 1');
    const json = JSON.parse((await runs('list', '--json')).printed);
    expect(json).toMatchObject([
      { schedulePda: held.schedule, window: '0', state: 'held', errorCode: 'funding-short' },
      { schedulePda: exhausted.schedule, state: 'exhausted' },
    ]);
    for (const wrong of [['--state', 'lost'], ['--limit', '0'], ['--schedule', 'nobody'], [nameOf(held)]]) {
      expect(await runs('list', ...wrong)).toMatchObject({ code: 2, printed: '' });
    }
  });
});

describe('runs show', () => {
  it('says what is wrong, what to do, where the window stands, how far the funds reach, and every try', async () => {
    const key = await stopped('exhausted');
    await putWindow(key, 'delegated');
    const { id } = await runOf(key);
    const { rows } = await database.pool.query('select id from execution_attempts where run_id = $1', [id]);
    await keepTransaction(database.query, newTransaction(id, rows[0].id, SIGNATURE));
    const vault = { reserved: '90', available: '4', decimals: 1, symbol: 'USDC', mint: key.schedule };
    await saveObservedVaults(database.query, [{ ...vault, address: key.schedule, seen_slot: 5n, seen_at: Date.now() }]);
    const short = { amount: 5n, at: 4_000_000_000n };
    await saveCoverage(database.query, [[key.schedule, { windows: 10, short }]]);

    const { code, printed } = await runs('show', nameOf(key));
    expect(code).toBe(0);
    expect(printed.split('\n').filter((line) => line.length > 80)).toEqual([]);
    const text = printed.replaceAll(/\s+/g, ' ');
    for (const part of [
      'exhausted, in stage commit; 0 of 500 paid',
      'What is wrong: liabilities-mismatch The liabilities tree has 12 base units less',
      'What to do Find out which number is wrong before you resume the run',
      'It is open, its batch is with the execution layer; batch timeout',
      'The vault covers 10 more windows, 5 of them promised; one more on 2 October 2096 takes another 0.5 USDC',
      'commit 1',
      '5 s failed liabilities-mismatch',
      '3AsdoALg…pEhezJpE',
    ]) {
      expect(text).toContain(part);
    }
    const json = JSON.parse((await runs('show', nameOf(key), '--json')).printed);
    expect(json).toMatchObject({
      schedulePda: key.schedule,
      state: 'exhausted',
      attempts: [{ stage: 'commit', signatures: [SIGNATURE] }],
      advice: { problem: expect.stringContaining('liabilities tree') },
      abandoned: null,
    });
  });

  it('does without the ledger, and says of what is not there that it is not there', async () => {
    const key = await stopped('held', 'list-missing');
    ledger.isBroken = true;
    expect((await runs('show', nameOf(key))).printed).toContain('The base ledger does not answer.');
    const missing = await runs('show', nameOf({ ...key, window: 9n }));
    expect(missing).toMatchObject({ code: 1, printed: '' });
    expect(missing.said).toContain('✖ There is no such run');
    expect(await runs('show')).toMatchObject({ code: 2 });
  });
});

describe('runs resume', () => {
  it('takes one run on, or all of a state, of one schedule if asked so', async () => {
    const [one, two] = [await stopped('exhausted'), await stopped('exhausted')];
    const held = await stopped('held', 'funding-short', two.schedule);
    expect(await takenUp()).toEqual([]);
    expect((await runs('resume', nameOf(held))).printed).toContain('The run was held');
    expect(await takenUp()).toEqual([nameOf(held)]);

    const some = await runs('resume', '--state', 'exhausted', '--schedule', two.schedule);
    expect(some.printed).toBe(`${nameOf(two)}\nRuns that go on with the next look for due windows: 1.\n`);
    const all = await runs('resume', '--state', 'exhausted');
    expect(all.printed).toContain('due windows: 2.');
    expect(new Set(await takenUp())).toEqual(new Set([one, two, held].map(nameOf)));
    await settle(one);
    const over = await runs('resume', nameOf(one));
    expect(over).toMatchObject({ code: 1, printed: '' });
    expect(over.said).toContain('The run is settled');
    expect((await runs('resume', nameOf({ ...one, window: 9n }))).said).toContain('no such run');
    const malformed = [nameOf(one).replace(':', '/')];
    for (const wrong of [
      [],
      malformed,
      ['--state', 'settled'],
      ['--schedule', two.schedule],
      ['--state', 'held', nameOf(one)],
    ]) {
      expect(await runs('resume', ...wrong)).toMatchObject({ code: 2, printed: '' });
    }
  });
});

describe('runs abandon', () => {
  it('gives up a run whose window is not open, says what that means, and keeps the reason for the operator alone', async () => {
    const key = await stopped('failed', 'batch-out-of-bounds');
    await putWindow(key, 'unopened');
    const { code, printed } = await runs('abandon', nameOf(key), '--reason', REASON);
    expect(code).toBe(0);
    expect(printed.replaceAll(/\s+/g, ' ')).toContain('pays no later window before this one');
    expect(await stateOf(key)).toBe('abandoned');

    expect((await runs('show', nameOf(key))).printed.replaceAll(/\s+/g, ' ')).toContain(REASON);
    expect((await runs('list', '--json')).printed).not.toContain('Mrs Example');
    const { rows } = await database.pool.query("select reason, encode(reason, 'escape') as text from abandoned_runs");
    expect(rows).toHaveLength(1);
    expect(rows[0].text).not.toContain('Mrs');

    // A rotation of payload keys takes the reason along.
    const former = settings.PAYLOAD_KEY ?? '';
    const present = `${former}.next`;
    writeFileSync(present, randomBytes(32).toString('hex'), { mode: 0o600 });
    settings = { ...settings, PAYLOAD_KEY: present };
    expect((await runs('show', nameOf(key))).printed).toContain("can't be decrypted");
    expect(await operate({ ...settings, PAYLOAD_KEYS_RETIRED: former }, 'keys', 'rotate')).toMatchObject({ code: 0 });
    expect((await runs('show', nameOf(key))).printed.replaceAll(/\s+/g, ' ')).toContain(REASON);

    expect((await runs('resume', nameOf(key))).printed).toContain('The run was abandoned');
    expect(await takenUp()).toEqual([nameOf(key)]);
  });

  it('refuses while money is in the window or nobody can tell, unless it is said that this is known', async () => {
    const key = await stopped('exhausted');
    await putWindow(key, 'delegated');
    const refused = await runs('abandon', nameOf(key), '--reason', REASON);
    expect(refused).toMatchObject({ code: 1, printed: '' });
    for (const part of ['The window is open', 'reclaim_window', 'Add --open']) expect(refused.said).toContain(part);
    expect(refused.said.split('\n').filter((line) => line.length > 80)).toEqual([]);
    ledger.isBroken = true;
    expect((await runs('abandon', nameOf(key), '--reason', REASON)).said).toContain("can't be told");
    expect(await stateOf(key)).toBe('exhausted');
    ledger.isBroken = false;
    expect(await runs('abandon', nameOf(key), '--reason', REASON, '--open')).toMatchObject({ code: 0 });
    expect(await stateOf(key)).toBe('abandoned');
  });

  it('gives up nothing that is over', async () => {
    const key = await stopped('exhausted');
    await putWindow(key, 'settled');
    expect((await runs('abandon', nameOf(key), '--reason', REASON)).said).toContain('settled on the base ledger');
    await settle(key);
    expect((await runs('abandon', nameOf(key), '--reason', REASON)).said).toContain('The run is settled');
    for (const wrong of [[nameOf(key)], [nameOf(key), '--reason', ' '], ['--reason', REASON]]) {
      expect(await runs('abandon', ...wrong)).toMatchObject({ code: 2 });
    }
  });
});
