import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemTime } from '@payouts/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate } from '../src/store/db/migrate.ts';
import { type Database, openDatabase } from '../src/store/db/openDatabase.ts';
import { prepareDatabase } from '../src/store/db/prepare.ts';
import { DatabaseInUse } from '../src/store/db/processLock.ts';
import { templateFile, unpackTemplate } from '../src/store/db/template.ts';
import { MIGRATIONS } from '../src/store/migrations/index.ts';
import { startChild } from './support/child.ts';
import { sharedFolder, temporaryFolder } from './support/temporary.ts';

const open = (dataDir: string) => openDatabase({ databaseUrl: undefined, dataDir, onError: () => {} });
const committed = (least: number) => (message: unknown) => (message as { committed: number }).committed >= least;

describe('the embedded database', () => {
  it('survives kill -9 in the middle of transactions: what was committed is there, and no half of a transaction', async () => {
    const folder = temporaryFolder();
    const writer = startChild('writer.ts', [folder]);
    await writer.said(committed(20));
    await writer.kill();
    const last = Math.max(...writer.messages.map((message) => (message as { committed: number }).committed));

    const { pool, close } = await open(folder);
    const { rows } = await pool.query<{ number: string; count: string }>(
      'select number, count(*) from pairs group by number order by number',
    );
    expect(rows.length).toBeGreaterThanOrEqual(last);
    expect(new Set(rows.map(({ count }) => count))).toEqual(new Set(['2']));
    await close();
  });

  it('refuses a second process with a sentence that says who holds it, and takes over from a dead one', async () => {
    const folder = temporaryFolder();
    const writer = startChild('writer.ts', [folder]);
    await writer.said(committed(1));
    const refusal = open(folder);
    await expect(refusal).rejects.toThrow(DatabaseInUse);
    await expect(refusal).rejects.toThrow(new RegExp(`process ${writer.process.pid}.*DATA_DIR.*DATABASE_URL`));
    await writer.kill();

    const first = await open(folder);
    await expect(open(folder)).rejects.toThrow(DatabaseInUse);
    expect(JSON.parse(readFileSync(join(folder, 'coordinator.lock'), 'utf8'))).toMatchObject({ pid: process.pid });
    await first.close();
    expect(existsSync(join(folder, 'coordinator.lock'))).toBe(false);
    writeFileSync(join(folder, 'coordinator.lock'), '{"pid":');
    await (await open(folder)).close();
  });
});

describe('a new embedded database', () => {
  it('has every table from the beginning, whatever a process left that was killed as it made one', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'postgres.creating', 'base', 'strange'), { recursive: true });
    const { query, pool, close } = await open(folder);
    expect(await prepareDatabase({ query, pool }, undefined, systemTime)).toEqual([]);
    await close();
    expect(existsSync(join(folder, 'postgres.creating'))).toBe(false);
    expect(existsSync(join(folder, 'postgres', 'base', 'strange'))).toBe(false);
  });

  it('is not made of a template that is cut off', async () => {
    const cut = join(temporaryFolder(), 'cut.tgz');
    writeFileSync(cut, readFileSync(templateFile()).subarray(0, 1_000_000));
    await expect(unpackTemplate(cut, join(temporaryFolder(), 'postgres'))).rejects.toThrow();
  });
});

describe('the pool over PGlite', () => {
  let database: Database;

  beforeAll(async () => {
    database = await open(sharedFolder());
    await database.pool.query('create table entries (writer int, number int)');
  });
  afterAll(() => database.close());

  it('keeps transactions of many borrowers apart, whatever else is asked meanwhile', async () => {
    const { pool } = database;
    const writer = async (id: number) => {
      for (let number = 0; number < 10; number++) {
        const client = await pool.connect();
        await client.query('begin');
        const before = await client.query('select count(*) from entries where writer = $1', [id]);
        expect(before.rows[0]).toEqual({ count: String(number - Math.ceil(number / 2)) });
        await client.query('insert into entries values ($1, $2)', [id, number]);
        // Every other transaction is taken back.
        await client.query(number % 2 === 0 ? 'rollback' : 'commit');
        client.release();
      }
    };
    const reader = async () => {
      for (let turn = 0; turn < 50; turn++) await pool.query('select count(*) from entries');
    };
    await Promise.all([writer(1), writer(2), writer(3), reader(), writer(4)]);
    const { rows } = await pool.query('select writer, count(*) from entries group by writer order by writer');
    expect(rows).toEqual([1, 2, 3, 4].map((id) => ({ writer: id, count: '5' })));
  });

  it('rolls back what a borrower left open, and refuses a released client', async () => {
    const { pool } = database;
    const client = await pool.connect();
    await client.query('begin');
    await client.query('insert into entries values (99, 1)');
    client.release();
    expect((await pool.query('select 1 from entries where writer = 99')).rowCount).toBe(0);
    await expect(client.query('select 1')).rejects.toThrow('released');
  });

  it('goes on after an error inside a transaction', async () => {
    const { pool } = database;
    const client = await pool.connect();
    await client.query('begin');
    await expect(client.query('select * from nowhere')).rejects.toMatchObject({ code: '42P01' });
    client.release();
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('answers 64-bit integers as text and counts rows, as pg does', async () => {
    const { pool } = database;
    const { rows, rowCount, command } = await pool.query(
      'insert into entries values (7, 1), (7, 2) returning 5::int8 as big',
    );
    expect({ rows, rowCount, command }).toEqual({ rows: [{ big: '5' }, { big: '5' }], rowCount: 2, command: 'INSERT' });
  });

  it('migrates once, and again without doing anything', async () => {
    const names = Object.keys(MIGRATIONS);
    expect(names).toEqual(names.toSorted());
    await database.pool.query('drop schema public cascade');
    await database.pool.query('create schema public');
    expect(await migrate(database.query)).toEqual(names);
    expect(await migrate(database.query)).toEqual([]);
    expect(await database.query.selectFrom('execution_runs').selectAll().execute()).toEqual([]);
  });
});
