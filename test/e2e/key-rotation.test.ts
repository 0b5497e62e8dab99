import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readExecutions, registerSchedule } from '@payouts/cli';
import type { Recipient } from '@payouts/client';
import { openDatabase } from '@payouts/coordinator/testing';
import { Cluster } from '@payouts/testing/cluster';
import { runCommand, startCommand } from '@payouts/testing/command';
import { startTransit, type Transit } from '@payouts/testing/services';
import { readSignedPatiently } from '@payouts/testing/signed';
import { keyOf, variedPayees } from '@payouts/testing/wallets';
import { type Employer, everySeconds, inSeconds, until, World } from '@payouts/testing/world';
import { beforeAll, expect, it } from 'vitest';

const NAMES = ['one', 'two'];
const SCHEDULES = 3;
const RECIPIENTS = 12;
const EVERY_SECONDS = 5;
/** More windows than come due meanwhile. */
const WINDOWS = 100;
const READ_MS = 50;
const REGISTER_MS = 2_000;

let world: World;
let transit: Transit;
let cluster: Cluster;
const employers: Employer[] = [];
/** Who answers; a load balancer takes one out before it is stopped. */
const inService = new Set(NAMES);

beforeAll(async () => {
  [world, transit] = await Promise.all([World.shared(), startTransit()]);
  transit.createEncryptionKey('lists');
  for (const name of ['first', 'second']) {
    writeFileSync(join(world.folder, `${name}.key`), randomBytes(32).toString('hex'), { mode: 0o600 });
  }
  cluster = await Cluster.start(world, NAMES, {
    PAYLOAD_KEY: join(world.folder, 'first.key'),
    VAULT_ADDR: transit.url,
    VAULT_TOKEN: transit.token,
  });
  const payees = await variedPayees(RECIPIENTS, 1_000n);
  // Identical deposits would be one transaction.
  const payeesOf = (id: bigint) => payees.map((payee) => ({ ...payee, amount: payee.amount + id }));
  const terms = { executions: WINDOWS, calendar: everySeconds(EVERY_SECONDS) };
  employers.push(await world.employer(payees, { ...terms, batchTimeout: 600 }));
  for (let id = 1n; id < SCHEDULES; id++) {
    employers.push(await world.promise(employers[0] as Employer, payeesOf(id), { ...terms, batchTimeout: 600, id }));
  }
  for (const employer of employers) await cluster.register(employer);
});

/** One that answers, in turn. */
let turn = 0;
function inTurn(): string {
  const names = [...inService];
  turn += 1;
  return names[turn % names.length] as string;
}
const url = () => cluster.of(inTurn()).url;

/** Requests under way, by whom they were sent to: as a balancer does, one is stopped when it has answered them. */
const underWay = new Map<string, number>();
async function sent<T>(request: (url: string) => Promise<T>): Promise<T> {
  const name = inTurn();
  const count = (by: number) => underWay.set(name, (underWay.get(name) ?? 0) + by);
  count(1);
  try {
    return await request(cluster.of(name).url);
  } finally {
    count(-1);
  }
}

/** How many reads were answered with 200. */
let read = 0;
/** Reads whole lists and single entries until it is over; returns what was answered otherwise. */
async function readThroughout(over: AbortSignal): Promise<unknown[]> {
  const failed: unknown[] = [];
  while (!over.aborted) {
    const employer = employers[read % SCHEDULES] as Employer;
    const isOwn = read % 2 === 1;
    const signer = isOwn ? keyOf(employer.list.recipients[read % RECIPIENTS] as Recipient) : employer.signer;
    try {
      const { status, body } = await sent(async (base) => {
        const at = `${base}/api/schedules/${employer.schedule}/recipients${isOwn ? '/me' : ''}`;
        const response = await readSignedPatiently(signer, at);
        return { status: response.status, body: await response.text() };
      });
      if (status === 200) read += 1;
      else failed.push([status, (JSON.parse(body) as { code: string }).code]);
    } catch (error) {
      failed.push((error as Error).message);
    }
    await sleep(READ_MS);
  }
  return failed;
}

let registered = 0;
/** Registers lists of windows that are never due, until it is over. */
async function registerThroughout(over: AbortSignal): Promise<void> {
  for (let id = 1_000n; !over.aborted; id++) {
    const terms = { id, executions: 1, firstExecution: inSeconds(86_400) };
    const { schedule, list } = await world.promise(employers[0] as Employer, await variedPayees(RECIPIENTS, id), terms);
    expect(await sent((base) => registerSchedule(base, schedule, list))).toBe(true);
    registered += 1;
    await sleep(REGISTER_MS);
  }
}

/** Restarts all, one after the other. */
async function roll(keys: Readonly<Record<string, string>>): Promise<void> {
  for (const name of NAMES) {
    inService.delete(name);
    await until(async () => !underWay.get(name), `${name} to have answered`);
    expect(await cluster.stopOne(name)).toBe(0);
    await cluster.startOne(name, keys);
    inService.add(name);
  }
}

const keyUse = () =>
  cluster.rows('select key_id, count(*)::int as count from recipient_lists group by key_id order by 2');

/** Marks of the data keys that what is kept is encrypted with: its first eight bytes. */
async function keyMarks(): Promise<unknown[]> {
  const kept = [
    ['recipient_lists', 'places'],
    ['recipient_list_chunks', 'content'],
    ['liability_chunks', 'content'],
    ['liability_trees', 'free_places'],
    ['balance_pages', 'content'],
    ['balance_owners', 'content'],
    ['run_payments', 'paid'],
  ] as const;
  const queries = kept.map(
    ([table, column]) =>
      `select encode(substring(${column} from 1 for 8), 'hex') as mark from ${table} where ${column} is not null`,
  );
  return (await cluster.rows(queries.join(' union '))).map(({ mark }) => mark);
}

/** Has a rotation killed when it has come to the newest list but one, and run again. */
async function rotateTwice(keys: Readonly<Record<string, string>>): Promise<void> {
  const settings = { ...cluster.settings, ...keys };
  const database = await openDatabase({ databaseUrl: cluster.databaseUrl, dataDir: world.folder, onError: () => {} });
  const [before] = await keyUse();
  try {
    await database.query.transaction().execute(async (transaction) => {
      const held = await transaction
        .selectFrom('recipient_lists')
        .select('id')
        .where('key_id', '=', String(before?.key_id))
        .orderBy('id', 'desc')
        .limit(1)
        .forUpdate()
        .execute();
      expect(held).toHaveLength(1);
      const rotation = startCommand(settings, 'keys', 'rotate');
      const isBegun = async () => (await keyUse()).some(({ key_id: id }) => id !== before?.key_id);
      await until(isBegun, 'the first lists to be wrapped anew');
      rotation.process.kill('SIGKILL');
      expect((await rotation.ended).code).toBeNull();
      expect(await keyUse()).toHaveLength(2);
    });
  } finally {
    await database.close();
  }
  const { code, printed } = await runCommand(settings, 'keys', 'rotate');
  expect(code, printed).toBe(0);
}

/** The steps of docs/operating/data.md, as far as nobody needs the former key any more. */
async function change(from: string, to: string): Promise<void> {
  await roll({ PAYLOAD_KEY: from, PAYLOAD_KEYS_RETIRED: to });
  await roll({ PAYLOAD_KEY: to, PAYLOAD_KEYS_RETIRED: from });
  await rotateTwice({ PAYLOAD_KEY: to, PAYLOAD_KEYS_RETIRED: from });
  const shown = await runCommand({ ...cluster.settings, PAYLOAD_KEY: to }, 'keys', 'show');
  expect(shown.printed.trim().split('\n')).toEqual([expect.stringMatching(/\(present\)$/)]);
}

it('the payload key is changed to another file and to a key service while lists are read, registered and paid', async () => {
  const formerMarks = await keyMarks();
  expect(formerMarks.length).toBeGreaterThanOrEqual(SCHEDULES);
  const over = new AbortController();
  const beside = Promise.all([readThroughout(over.signal), registerThroughout(over.signal)]);
  await Promise.race([
    (async () => {
      await change(join(world.folder, 'first.key'), join(world.folder, 'second.key'));
      await change(join(world.folder, 'second.key'), 'vault:lists');
      await roll({ PAYLOAD_KEY: 'vault:lists' });
      await until(async () => read > 100 && registered > 5, 'enough to have been asked', 120_000);
    })(),
    // Ends first only by an error.
    beside.then(() => new Promise<never>(() => {})),
  ]).finally(() => over.abort());
  const [failed] = await beside;
  expect(failed).toEqual([]);

  for (const employer of employers) {
    const last = await until(async () => {
      const [run] = await readExecutions(url(), employer.schedule, 1);
      return BigInt(run?.window ?? 0) >= 6n && run;
    }, 'the seventh window');
    await cluster.settled(employer, BigInt(last.window));
  }
  const troubled = `select run.state, attempt.error_code from execution_runs run
    left join execution_attempts attempt on attempt.run_id = run.id and attempt.error_code is not null
    where run.state in ('held', 'exhausted', 'failed') or attempt.error_code like '%unreadable' or attempt.error_code like 'key-%'`;
  expect(await cluster.rows(troubled)).toEqual([]);
  const paid = 'select distinct schedule, paid_amount::text from execution_runs where finished_at is not null';
  expect(new Map((await cluster.rows(paid)).map((row) => [row.schedule, row.paid_amount]))).toEqual(
    new Map(employers.map(({ schedule, list }) => [schedule, String(list.total)])),
  );
  expect(await cluster.rows(paid)).toHaveLength(SCHEDULES);
  for (const table of ['recipient_lists', 'liability_trees']) {
    const rows = await cluster.rows(`select distinct key_id from ${table}`);
    expect(rows, table).toEqual([{ key_id: 'vault:lists' }]);
  }
  const marks = new Set(await keyMarks());
  expect(formerMarks.filter((mark) => marks.has(mark))).toEqual([]);
  await world.checkMoneyRules(...employers);
}, 600_000);
