import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bitmapSize, systemTime } from '@payouts/client';
import { dumpRows } from '@payouts/testing/dump';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { rotateKeys } from '../src/rotation/rotateKeys.ts';
import {
  keyRing,
  localPayloadKey,
  localPayloadKeys,
  type PayloadKeys,
  WrongPayloadKey,
} from '../src/store/crypto/payloadKeys.ts';
import { RecipientKeys } from '../src/store/crypto/serviceKey.ts';
import { type Database, openDatabase } from '../src/store/db/openDatabase.ts';
import { lockDirectory } from '../src/store/db/processLock.ts';
import { countKeyUse } from '../src/store/queries/dataKeys.ts';
import { saveGrant, saveUse } from '../src/store/queries/grants.ts';
import { treeKey } from '../src/store/queries/liabilities.ts';
import { findList, readRecipients } from '../src/store/queries/lists.ts';
import { savePayments } from '../src/store/queries/payments.ts';
import { countEventsBefore } from '../src/store/queries/runEvents.ts';
import { findRun, finishRun } from '../src/store/queries/runs.ts';
import { keepTransaction, settleTransaction } from '../src/store/queries/transactions.ts';
import type { WithdrawalRecord } from '../src/withdrawals/keptRecord.ts';
import { WithdrawalBook } from '../src/withdrawals/withdrawalBook.ts';
import { changeSchedule } from './support/addSchedule.ts';
import { type TestApi, testApi } from './support/api.ts';
import { useLedger } from './support/ledgerStub.ts';
import { operate, operatorSettings } from './support/operator.ts';
import { type Promised, promise, randomAddress, somePayees } from './support/promised.ts';
import { addRun, begin, newTransaction } from './support/runs.ts';
import { useSharedPostgres } from './support/servers.ts';
import { temporaryFolder } from './support/temporary.ts';

const DAY_MS = 86_400_000;
const ENDPOINT = '0b7f3a52-6c1d-4e8f-9a20-5d7c1e3b8f64';

const postgres = useSharedPostgres();
const ledger = useLedger();

/** A payload key in a file, as an operator keeps it. */
function payloadKey(folder: string, name: string): { readonly file: string; readonly bytes: Uint8Array } {
  const bytes = randomBytes(32);
  const file = join(folder, `${name}.key`);
  writeFileSync(file, bytes.toString('hex'), { mode: 0o600 });
  return { file, bytes };
}

describe('with a database', () => {
  let folder: string;
  let databaseUrl: string;
  let first: ReturnType<typeof payloadKey>;
  let settings: Record<string, string | undefined>;

  beforeEach(async () => {
    folder = temporaryFolder();
    databaseUrl = await postgres.createDatabase();
    first = payloadKey(folder, 'first');
    settings = operatorSettings(folder, {
      DATABASE_URL: databaseUrl,
      PAYLOAD_KEY: first.file,
      BASE_RPC_URL: ledger.url,
    });
  });

  /** Opens the store for a while. */
  async function stored<T>(work: (database: Database) => Promise<T>, url = databaseUrl): Promise<T> {
    const database = await openDatabase({ databaseUrl: url, dataDir: 'unused', onError: () => {} });
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  }

  const firstKeys = () => localPayloadKeys(first.bytes);

  async function withApi<T>(database: Database, work: (service: TestApi) => Promise<T>): Promise<T> {
    const service = await testApi({ ...database, api: database.query }, ledger.url, { payloadKeys: firstKeys() });
    try {
      return await work(service);
    } finally {
      await service.api.close();
    }
  }

  async function registered(database: Database, payees = somePayees(5)): Promise<Promised> {
    const promised = promise(ledger, randomAddress(), payees);
    await withApi(database, (service) => service.register(promised));
    return promised;
  }

  async function readList({ query }: Database, { schedulePda, list }: Promised, payloadKeys: PayloadKeys) {
    const found = await findList(query, schedulePda, Buffer.from(list.root).toString('hex'));
    return found && readRecipients(query, found, payloadKeys);
  }

  const withdrawalBook = ({ query }: Database) =>
    new WithdrawalBook({ database: query, payloadKeys: firstKeys(), time: systemTime });

  /** A run with an attempt and a transaction; `finishedAt` null: it is not over. */
  async function run({ query }: Database, { schedulePda }: Promised, window: bigint, finishedAt: number | null) {
    const key = { schedule: schedulePda, window };
    const { id } = await addRun(query, key, { recipients: 5, at: 1_000 });
    const { attemptId } = await begin(query, key, 'claim', 1_000);
    const sent = await keepTransaction(query, newTransaction(id, attemptId));
    await settleTransaction(query, sent.id, 'landed');
    if (finishedAt !== null) await finishRun(query, id, { state: 'settled', paidAmount: 1n, at: finishedAt });
    return id;
  }

  const recipient = randomAddress();
  const withdrawal = (seenAt: number): WithdrawalRecord => ({
    recipient,
    balance: randomAddress(),
    mint: randomAddress(),
    number: 7n,
    amount: 1n,
    wallet: randomAddress(),
    state: 'requested',
    seenAt,
    issuedAt: null,
    paidAt: null,
  });

  async function count({ pool }: Database, table: string): Promise<number> {
    const { rows } = await pool.query(`select count(*)::int as count from ${table}`);
    return Number(rows[0]?.count);
  }

  describe('keys', () => {
    it('are rotated: from then on the former key opens nothing', async () => {
      const second = payloadKey(folder, 'second');
      const mint = randomAddress();
      const promised = await stored(async (database) => {
        const payloadKeys = firstKeys();
        await treeKey(database.query, mint, payloadKeys, 1_000);
        await new RecipientKeys({ database: database.query, payloadKeys, time: systemTime }).all();
        await registered(database);
        return registered(database);
      });
      const [firstId, secondId] = [first, second].map(({ bytes }) => localPayloadKey(bytes).id);
      expect(await operate(settings, 'keys', 'show')).toMatchObject({
        code: 0,
        printed: `${firstId}  lists 2  liabilities trees 1  service keys 1  (present)\n`,
      });

      const withoutFirst = await operate({ ...settings, PAYLOAD_KEY: second.file }, 'keys', 'rotate');
      expect(withoutFirst).toMatchObject({ code: 1 });
      expect(withoutFirst.said).toContain(`Payload key ${firstId} does not open 4 data keys`);

      const next = { ...settings, PAYLOAD_KEY: second.file, PAYLOAD_KEYS_RETIRED: first.file };
      expect(await operate(next, 'keys', 'rotate')).toMatchObject({
        code: 0,
        printed: `Renewed under payload key ${secondId}: lists 2, liabilities trees 1, service keys 1.\n`,
      });
      expect((await operate(next, 'keys', 'rotate')).printed).toContain('lists 0, liabilities trees 0, service keys 0');
      expect((await operate(next, 'keys', 'show')).printed).toBe(
        `${secondId}  lists 2  liabilities trees 1  service keys 1  (present)\n`,
      );
      await stored(async (database) => {
        expect(await readList(database, promised, localPayloadKeys(second.bytes))).toEqual(promised.list.recipients);
        await expect(readList(database, promised, firstKeys())).rejects.toThrow(WrongPayloadKey);
        await expect(treeKey(database.query, mint, localPayloadKeys(second.bytes), 1_000)).resolves.toMatchObject({
          key: { length: 32 },
        });
      });
    });

    it('are rotated on from where it was cut off', async () => {
      await stored(async (database) => {
        for (let list = 0; list < 4; list++) await registered(database);
        const [old, present] = [localPayloadKey(first.bytes), localPayloadKey(randomBytes(32))];
        const ring = keyRing(present, [old]);
        let wraps = 0;
        const dying: PayloadKeys = {
          ...ring,
          wrap: (key, place) => {
            wraps += 1;
            if (wraps === 3) throw new Error('the process died');
            return ring.wrap(key, place);
          },
        };
        await expect(rotateKeys({ database: database.query, payloadKeys: dying, time: systemTime })).rejects.toThrow(
          'died',
        );
        expect((await countKeyUse(database.query)).map(({ lists }) => lists)).toEqual([2, 2]);
        expect(await rotateKeys({ database: database.query, payloadKeys: ring, time: systemTime })).toMatchObject({
          lists: 2,
          liabilityTrees: 0,
        });
        expect(await countKeyUse(database.query)).toEqual([
          { keyId: present.id, lists: 4, liabilityTrees: 0, serviceKeys: 0 },
        ]);
      });
    });
  });

  describe('schedules delete', () => {
    const forget = ({ schedulePda }: Pick<Promised, 'schedulePda'>, ...options: string[]) =>
      operate(settings, 'schedules', 'delete', schedulePda, ...options);

    it("forgets a schedule's lists and keeps what is public; the list can be registered again", async () => {
      const [promised, other] = await stored(async (database) => {
        const both = [await registered(database), await registered(database)] as const;
        await run(database, both[0], 0n, Date.now());
        return both;
      });
      const asked = await forget(promised);
      expect(asked).toMatchObject({ code: 0 });
      expect(asked.printed).toContain('Would be forgotten for good: lists 1. Add --yes');
      await stored(async (database) => {
        expect(await count(database, 'recipient_lists')).toBe(2);
      });

      const done = await forget(promised, '--yes');
      // Forgotten, but this ledger has no vault to state totals by.
      expect(done).toMatchObject({ code: 3 });
      expect(done.printed).toContain('Forgotten: lists 1.');
      expect(done.said).toContain("Its totals can't be stated now");
      await stored(async (database) => {
        expect(await count(database, 'recipient_lists')).toBe(1);
        expect(await count(database, 'recipient_list_chunks')).toBe(1);
        expect(await readList(database, other, firstKeys())).toEqual(other.list.recipients);
        await withApi(database, async (service) => {
          const path = `/api/schedules/${promised.schedulePda}`;
          expect((await service.get(path)).body).toMatchObject({ registration: { state: 'list-missing' } });
          expect((await service.get(`${path}/executions`)).body.executions).toHaveLength(1);
          await service.register(promised);
        });
        expect(await readList(database, promised, firstKeys())).toEqual(promised.list.recipients);
      });
    });

    it('forgets its runs too, if asked', async () => {
      const promised = await stored(async (database) => {
        const one = await registered(database);
        const other = await registered(database);
        for (const window of [0n, 1n]) await run(database, one, window, 1_000);
        await run(database, other, 0n, 1_000);
        return one;
      });
      const done = await forget(promised, '--yes', '--history');
      expect(done).toMatchObject({ code: 3 });
      expect(done.printed).toContain('Forgotten: lists 1, runs 2.');
      await stored(async (database) => {
        const left = ['schedules', 'recipient_lists', 'execution_runs', 'execution_attempts', 'ledger_transactions'];
        for (const table of left) expect(await count(database, table), table).toBe(1);
        await withApi(database, async ({ api }) => {
          expect((await api.inject(`/api/schedules/${promised.schedulePda}`)).statusCode).toBe(404);
        });
      });
    });

    it('refuses while a window is open or a run is not over, unless it is forced', async () => {
      const [open, atWork] = await stored(async (database) => {
        const both = [await registered(database), await registered(database)] as const;
        await changeSchedule(database.query, both[0].schedulePda, { phase: 'open' });
        await run(database, both[1], 0n, null);
        return both;
      });
      for (const promised of [open, atWork]) {
        const refused = await forget(promised, '--yes');
        expect(refused).toMatchObject({ code: 1, printed: '' });
        expect(refused.said).toContain('A window of the schedule is open');
        expect(await forget(promised, '--yes', '--force')).toMatchObject({ code: 3 });
      }
      expect((await forget({ schedulePda: randomAddress() }, '--yes')).said).toContain('not registered');
    });
  });

  describe('retention', () => {
    const retain = (...options: string[]) => operate(settings, 'retention', '--older-than', '30', ...options);

    it('removes runs that ended long ago and lists that nobody needs, and nothing else', async () => {
      const now = Date.now();
      const old = now - 40 * DAY_MS;
      const promised = await stored(async (database) => {
        const one = await registered(database);
        const { query } = database;
        const place = {
          schedule: one.schedulePda,
          recipients: 5,
          wrapped_key: randomBytes(60),
          key_id: 'x',
        };
        const list = async (registered_at: number): Promise<number> => {
          const root = randomBytes(32).toString('hex');
          const values = { ...place, root, registered_at };
          const row = await query
            .insertInto('recipient_lists')
            .values(values)
            .returning('id')
            .executeTakeFirstOrThrow();
          return row.id;
        };
        // The present list was registered before these three, so none of them is the newest but the last.
        const [unused, used] = [await list(old), await list(old)];
        await list(now);
        const paid = randomBytes(bitmapSize(5) + 28);
        await savePayments(query, await run(database, one, 0n, old), { listId: unused, paid });
        await savePayments(query, await run(database, one, 1n, now - 20 * DAY_MS), { listId: used, paid });
        const book = withdrawalBook(database);
        for (const seenAt of [now - 90 * DAY_MS, now]) await book.add(withdrawal(seenAt));
        const grant = { schedule: one.schedulePda, auditor: recipient, scope: 'totals' as const, created_at: old };
        const sealed = { named: randomBytes(40), wrapped_key: randomBytes(60), key_id: 'x' };
        const ends: [id: string, ends_at: number, revoked_at: number | null][] = [
          ['over', old, null],
          ['revoked', now + DAY_MS, old],
          ['just over', now - DAY_MS, null],
          ['active', now + DAY_MS, null],
        ];
        for (const [id, ends_at, revoked_at] of ends) {
          await saveGrant(query, { id, ...grant, ...sealed, ends_at, revoked_at });
          await saveUse(query, { grant_id: id, used_at: old, kind: 'totals' as const, subject: null });
        }
        await sql`insert into run_events (at, kind, schedule, window_number, state)
          values (${old}, 'run', ${one.schedulePda}, 0, 'settled')`.execute(query);
        await sql`insert into webhook_endpoints (id, vault, types, content, wrapped_key, key_id, created_at)
          values (${ENDPOINT}, ${one.schedulePda}, '{}', '', '', 'x', ${old})`.execute(query);
        for (const at of [old, old, now]) {
          await sql`insert into webhook_messages (endpoint_id, type, at, schedule, data, state)
            values (${ENDPOINT}, 'run.completed', ${at}, ${one.schedulePda}, '{}', 'delivered')`.execute(query);
        }
        return one;
      });
      const found =
        'runs 1 (attempts 1, transactions 1), lists 1, withdrawals 1, wallets paid 0, grants 2, events 1, webhook messages 2';
      expect(await retain('--dry-run')).toMatchObject({
        code: 0,
        printed: `Would be removed: ${found}.\n`,
      });
      const counts = () =>
        stored(async (database) => {
          const tables = [
            'execution_runs',
            'execution_attempts',
            'ledger_transactions',
            'recipient_lists',
            'run_payments',
            'auditor_grants',
            'grant_uses',
            'webhook_messages',
          ];
          return Promise.all(tables.map((table) => count(database, table)));
        });
      expect(await counts()).toEqual([2, 2, 2, 4, 2, 4, 4, 3]);

      // While a run is not over, all lists of its schedule stay.
      await stored((database) => run(database, promised, 2n, null));
      expect((await retain('--dry-run')).printed).toContain('lists 0, withdrawals 1,');
      await stored(async ({ query }) => {
        const unfinished = await findRun(query, { schedule: promised.schedulePda, window: 2n });
        await finishRun(query, unfinished?.id as number, { state: 'settled', paidAmount: 1n, at: now });
      });

      expect((await retain()).printed).toBe(`Removed: ${found}.\n`);
      expect(await counts()).toEqual([2, 2, 2, 3, 1, 2, 2, 1]);
      expect(await stored(({ query }) => countEventsBefore(query, now - 30 * DAY_MS))).toBe(0);
      await stored(async (database) => {
        const kept = await withdrawalBook(database).of(recipient, now);
        expect(kept.map(({ record }) => record.seenAt)).toEqual([now]);
        expect(await readList(database, promised, firstKeys())).toEqual(promised.list.recipients);
      });
      expect((await retain()).printed).toContain(
        'runs 0 (attempts 0, transactions 0), lists 0, withdrawals 0, wallets paid 0, grants 0, events 0, webhook messages 0',
      );
    });
  });

  it('a backup holds everything but the payload key, and can be read with that alone', async () => {
    const promised = await stored((database) => registered(database));
    const copy = await postgres.createDatabase(databaseUrl);
    await stored(async (database) => {
      const text = (await dumpRows(database.pool)).toString('latin1');
      expect(text).toContain(promised.schedulePda);
      for (const { recipient, amount } of promised.list.recipients) {
        expect(text).not.toContain(recipient);
        expect(text).not.toContain(String(amount));
      }
      expect(await readList(database, promised, firstKeys())).toEqual(promised.list.recipients);
      await expect(readList(database, promised, localPayloadKeys(randomBytes(32)))).rejects.toThrow(WrongPayloadKey);
    }, copy);
  });
});

describe('the command line', () => {
  it.each([
    [['no-such-command'], 2],
    [['keys'], 2],
    [['constructor'], 2],
    [['keys', 'show', 'all'], 2],
    [['schedules', 'delete'], 2],
    [['schedules', 'delete', 'nobody', '--yes'], 2],
    [['retention'], 2],
    [['retention', '--older-than', '0'], 2],
    [['retention', '--older-than=-1'], 2],
    [['retention', '--older-than', '3', '--wet-run'], 2],
    [['retention', '--older-than', '3', '--dry-run=yes'], 2],
    [['--help'], 0],
    [['schedules', 'delete', '--help'], 0],
  ])('answers %j with exit code %i, and says how it is meant', async (words, code) => {
    const { code: ended, printed, said } = await operate({}, ...words);
    expect(ended).toBe(code);
    expect(printed + said).toContain('Usage: coordinator');
  });

  it('says that the embedded database belongs to a coordinator that runs, and what to do', async () => {
    const folder = temporaryFolder();
    const unlock = lockDirectory(folder);
    const settings = {
      DATA_DIR: folder,
      BASE_RPC_URL: 'http://a',
      LAYER_RPC_URL: 'http://b',
      EXECUTION_AUTHORITY_KEY: 'k',
    };
    const { code, said } = await operate(settings, 'keys', 'show');
    unlock();
    expect(code).toBe(1);
    expect(said).toMatch(/^✖ Another coordinator .* Stop it/);
  });
});
