import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { walletTokens, withdraw } from '@payouts/cli';
import { decodeEvents, fetchSchedule, fetchVault, systemTime } from '@payouts/client';
import {
  findList,
  localPayloadKeys,
  openDatabase,
  readRecipients,
  WrongPayloadKey,
} from '@payouts/coordinator/testing';
import { runCommand } from '@payouts/testing/command';
import { type Postgres, startPostgres } from '@payouts/testing/services';
import { freshWallet, personAt, variedPayees } from '@payouts/testing/wallets';
import { type Employer, HOUR, World } from '@payouts/testing/world';
import type { Signature } from '@solana/kit';
import { beforeAll, expect, it } from 'vitest';

const RECIPIENTS = 20;
const WINDOWS = 5;

let world: World;
let postgres: Postgres;
let databaseUrl: string;
let forgotten: Employer;
let kept: Employer;
const keys = { first: randomBytes(32), second: randomBytes(32) };
const keyFile = (name: keyof typeof keys) => join(world.folder, `${name}.key`);
const settings = (name: keyof typeof keys) => ({ DATABASE_URL: databaseUrl, PAYLOAD_KEY: keyFile(name) });

beforeAll(async () => {
  [world, postgres] = await Promise.all([World.start(), startPostgres(systemTime, { withClients: true })]);
  databaseUrl = await postgres.createDatabase();
  for (const name of ['first', 'second'] as const) {
    writeFileSync(keyFile(name), keys[name].toString('hex'), { mode: 0o600 });
  }
  forgotten = await world.employer(await variedPayees(RECIPIENTS, 1_000n), { executions: WINDOWS });
  kept = await world.promise(forgotten, await variedPayees(RECIPIENTS, 50_000n), { id: 1n, executions: WINDOWS });
  await world.startCoordinator(settings('first'));
  for (const employer of [forgotten, kept]) await world.register(employer);
  for (const employer of [forgotten, kept]) await world.settled(employer, 0n);
  await world.localnet.admin.advanceClock(HOUR);
  for (const employer of [forgotten, kept]) await world.settled(employer, 1n);
});

/** As docs/operating/data.md has it. */
function backUp(name: string): string {
  const file = join(world.folder, name);
  execFileSync(join(postgres.programs, 'pg_dump'), ['--format=custom', `--file=${file}`, databaseUrl]);
  return file;
}

/** What the first list is by a backup and payload keys; undefined: the backup does not have it. */
async function listIn(file: string, ...payloadKeys: readonly [Uint8Array, ...Uint8Array[]]) {
  const restored = await postgres.createDatabase();
  const options = ['--exit-on-error', '--no-owner', `--dbname=${restored}`];
  execFileSync(join(postgres.programs, 'pg_restore'), [...options, file]);
  const database = await openDatabase({ databaseUrl: restored, dataDir: world.folder, onError: () => {} });
  try {
    const list = await findList(database.query, forgotten.schedule, Buffer.from(forgotten.list.root).toString('hex'));
    const [current, ...retired] = payloadKeys;
    return list && (await readRecipients(database.query, list, localPayloadKeys(current, retired)));
  } finally {
    await database.close();
  }
}

type Statement = {
  readonly windows: readonly {
    readonly paidAmount: string;
    readonly paidCount: number;
    readonly root: string;
    readonly bitmapHash: string;
    readonly settlement: Signature;
  }[];
  readonly paidTotal: string;
  readonly vault: Record<string, string>;
  readonly liabilityTree: Record<string, unknown> | null;
  readonly violations: readonly unknown[];
};

const operate = (name: keyof typeof keys, ...words: readonly string[]) =>
  runCommand({ ...world.settings, ...settings(name) }, ...words);
const statementIn = (printed: string) =>
  JSON.parse(printed.slice(printed.indexOf('{'), printed.lastIndexOf('}') + 1)) as Statement;

/** Follows a statement on the base ledger, as anybody may: every settlement it names, and the sums. */
async function check({ windows, paidTotal, vault, liabilityTree, violations }: Statement): Promise<void> {
  const { base } = world.ledgers;
  let sum = 0n;
  for (const [window, { settlement, ...stated }] of windows.entries()) {
    const found = await base
      .getTransaction(settlement, { encoding: 'base64', maxSupportedTransactionVersion: 0 })
      .send();
    const events = decodeEvents(found?.meta?.logMessages ?? []);
    const event = events.find((one) => one.__kind === 'WindowSettled' && one.schedule === forgotten.schedule);
    if (event?.__kind !== 'WindowSettled') throw new Error('the transaction settles no window of the schedule');
    expect(stated).toMatchObject({
      window: String(window),
      paidAmount: String(event.paidAmount),
      paidCount: event.paidCount,
      bitmapHash: Buffer.from(event.bitmapHash).toString('hex'),
      root: Buffer.from(forgotten.list.root).toString('hex'),
    });
    sum += event.paidAmount;
  }
  const { data } = await fetchSchedule(base, forgotten.schedule);
  expect([BigInt(windows.length), BigInt(paidTotal)]).toEqual([data.window, data.paidTotal]);
  expect(sum).toBe(data.paidTotal);
  const { data: books } = await fetchVault(base, forgotten.vault);
  expect(BigInt(vault.paid as string)).toBe(books.paid);
  expect(data.paidTotal + BigInt(vault.paidByOtherSchedules as string)).toBe(books.paid);
  const parts = ['withdrawn', 'available', 'reserved', 'open', 'paid'];
  expect(parts.reduce((total, part) => total + BigInt(vault[part] as string), 0n)).toBe(books.deposited);
  expect(liabilityTree).toMatchObject({ addsUp: true });
  expect(violations).toEqual([]);
}

it('a forgotten list stays forgotten, in backups too, and what it was paid is proven by the base ledger alone', async () => {
  const before = backUp('before.dump');
  // With its key the list is there, so what follows means something.
  expect(await listIn(before, keys.first)).toEqual(forgotten.list.recipients);

  const done = await operate('first', 'schedules', 'delete', forgotten.schedule, '--yes', '--json');
  expect(done).toMatchObject({ code: 0 });
  await check(statementIn(done.printed));

  const after = backUp('after.dump');
  expect(await listIn(after, keys.first, keys.second)).toBeUndefined();
  for (const table of ['recipient_lists', 'recipient_list_chunks']) {
    const [row] = await postgres.rows(databaseUrl, `select count(*)::int as count from ${table}`);
    // The other schedule's.
    expect(row?.count, table).toBe(1);
  }

  // The payload key is changed, and the old one destroyed.
  await world.stopCoordinator();
  const both = { ...world.settings, ...settings('second'), PAYLOAD_KEYS_RETIRED: keyFile('first') };
  expect(await runCommand(both, 'keys', 'rotate')).toMatchObject({ code: 0 });
  await expect(listIn(before, keys.second)).rejects.toThrow(WrongPayloadKey);
  await world.startCoordinator(settings('second'));
});

it('afterwards its windows are held, its recipients take out what is theirs, and others are paid', async () => {
  await world.localnet.admin.advanceClock(HOUR);
  await world.settled(kept, 2n);
  await world.runIn(forgotten, 'held', { window: 2, errorCode: 'list-missing' });

  const { amount, ...person } = personAt(forgotten, 0);
  const wallet = await freshWallet();
  expect(await withdraw(world.ledgers, { ...person, wallet, amount: 'all' })).toBe(2n * amount);
  expect(await walletTokens(world.ledgers, wallet, person.mint)).toBe(2n * amount);

  const totals = await operate('second', 'schedules', 'totals', forgotten.schedule, '--json');
  expect(totals).toMatchObject({ code: 0 });
  await check(statementIn(totals.printed));
  const text = await operate('second', 'schedules', 'totals', forgotten.schedule);
  expect(text.printed).toContain('The totals add up.');
  const { admin } = world.localnet;
  await admin.setHabits({ listsAccounts: false });
  expect(await operate('second', 'schedules', 'totals', forgotten.schedule)).toEqual(text);
  await admin.setHabits({ listsAccounts: false, hasHistory: false });
  const unkept = await operate('second', 'schedules', 'totals', forgotten.schedule);
  expect(unkept).toMatchObject({ code: 1, printed: expect.stringContaining('ask one that keeps the whole history') });
  await admin.setHabits({});
  await world.checkMoneyRules(forgotten, kept);

  await world.stopCoordinator();
  const nowhere = { ...world.settings, ...settings('second'), BASE_RPC_URL: 'http://127.0.0.1:9' };
  const unreachable = await runCommand(nowhere, 'schedules', 'totals', forgotten.schedule);
  expect(unreachable.code).toBe(1);
  expect(unreachable.printed).not.toContain('add up');
});
