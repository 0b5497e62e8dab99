import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { systemTime } from '@payouts/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase, openDatabaseBeside } from '../src/store/db/openDatabase.ts';
import { prepareDatabase } from '../src/store/db/prepare.ts';
import { DatabaseInUse } from '../src/store/db/processLock.ts';
import { templateFile, unpackTemplate } from '../src/store/db/template.ts';
import { type Message, startChild } from './support/child.ts';
import { sharedFolder, temporaryFolder } from './support/temporary.ts';

const open = (dataDir: string) => openDatabase({ databaseUrl: undefined, dataDir, onError: () => {} });
const openBeside = (dataDir: string) => openDatabaseBeside({ databaseUrl: undefined, dataDir, onError: () => {} });
const committed = (least: number) => (message: Message) => Number(message.committed) >= least;

describe('the embedded database', () => {
  it('survives kill -9 in the middle of transactions: what was committed is there, and no half of a transaction', async () => {
    const folder = temporaryFolder();
    const writer = startChild('writer.ts', [folder]);
    await writer.said(committed(20));
    await writer.kill();
    const last = Math.max(...writer.messages.map((message) => Number(message.committed)));

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
    await expect(refusal).rejects.toThrow(
      new RegExp(`process ${writer.process.pid} of host ${hostname()}.*DATA_DIR.*DATABASE_URL`),
    );
    await writer.kill();

    const first = await open(folder);
    await expect(open(folder)).rejects.toThrow(DatabaseInUse);
    expect(readFileSync(join(folder, 'coordinator.lock'), 'utf8')).toBe(`process ${process.pid} of host ${hostname()}`);
    await first.close();
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

describe('the pool of one connection', () => {
  let database: Database;

  beforeAll(async () => {
    database = await open(sharedFolder());
    await database.pool.query('create table entries (writer int, number int)');
  });
  afterAll(() => database.close());

  it('keeps transactions of many borrowers apart, whatever else is asked or fails meanwhile', async () => {
    const { pool } = database;
    const writer = async (id: number) => {
      for (let number = 0; number < 12; number++) {
        const client = await pool.connect();
        await client.query('begin');
        const before = await client.query('select count(*) from entries where writer = $1', [id]);
        expect(before.rows[0]).toEqual({ count: String(Math.floor((number + 2) / 3)) });
        await client.query('insert into entries values ($1, $2)', [id, number]);
        // Of three transactions one is committed, one fails, and one is left to a connection that is given up.
        if (number % 3 === 1)
          await expect(client.query('select 1 / $1::int', [0])).rejects.toMatchObject({ code: '22012' });
        if (number % 3 < 2) await client.query('commit');
        client.release(number % 3 === 2);
      }
    };
    const reader = async () => {
      for (let turn = 0; turn < 50; turn++) {
        const { rows } = await pool.query('select $1::int as turn', [turn]);
        expect(rows).toEqual([{ turn }]);
        await expect(pool.query('select * from nowhere where $1', [true])).rejects.toMatchObject({ code: '42P01' });
      }
    };
    await Promise.all([writer(1), writer(2), writer(3), reader(), writer(4), reader()]);
    const { rows } = await pool.query('select writer, count(*) from entries group by writer order by writer');
    expect(rows).toEqual([1, 2, 3, 4].map((id) => ({ writer: id, count: '4' })));
  });
});

describe('an operator’s command beside the process that has the database', () => {
  let folder: string;
  let service: Database;
  let command: Database;

  beforeAll(async () => {
    folder = sharedFolder();
    service = await open(folder);
    await service.pool.query('create table notes (id int primary key, bytes bytea, at timestamptz, amount bigint)');
    command = await openBeside(folder);
  });
  afterAll(async () => {
    await command.close();
    await service.close();
  });

  it('reads and writes as if it had it itself, and hears of errors by their codes', async () => {
    expect(await prepareDatabase(command, undefined, systemTime)).toEqual([]);
    const row = [1, Buffer.from([0, 255]), new Date(1_000), '9007199254740993'];
    const { rowCount } = await command.pool.query('insert into notes values ($1, $2, $3, $4)', row);
    expect(rowCount).toBe(1);
    const { rows } = await command.pool.query('select * from notes');
    expect(rows).toEqual([{ id: 1, bytes: Buffer.from([0, 255]), at: new Date(1_000), amount: '9007199254740993' }]);
    expect((await service.pool.query('select * from notes')).rows).toEqual(rows);
    const again = command.pool.query('insert into notes values ($1, $2, $3, $4)', row);
    await expect(again).rejects.toMatchObject({ code: '23505', constraint: 'notes_pkey' });
    await command.pool.query('insert into notes values (7); delete from notes where id = 7');
  });

  it('has the session to itself in a transaction, and undoes one that it does not end', async () => {
    const session = await command.pool.connect();
    await session.query('begin');
    await session.query('insert into notes values (2)');
    // It waits for its turn and sees the whole transaction, or none of it.
    const counted = service.pool.query('select count(*)::int as count from notes where id = 2');
    await session.query('insert into notes values (3)');
    await session.query('commit');
    session.release();
    expect((await counted).rows).toEqual([{ count: 1 }]);

    const another = await command.pool.connect();
    await another.query('begin');
    await another.query('delete from notes');
    another.release(true);
    expect((await service.pool.query('select count(*)::int as count from notes')).rows).toEqual([{ count: 3 }]);
  });

  it('works beside other commands, through a socket that its user alone may open', async () => {
    const other = await openBeside(folder);
    const ask = ({ pool }: Database) => pool.query('select count(*)::int as count from notes');
    const asked = await Promise.all([command, other, service, command, other].map(ask));
    expect(asked.map(({ rows }) => rows)).toEqual(Array.from({ length: 5 }, () => [{ count: 3 }]));
    await other.close();
    expect(statSync(join(folder, 'coordinator.sock')).mode & 0o777).toBe(0o600);
    await expect(open(folder)).rejects.toThrow(DatabaseInUse);
  });

  it('works in a folder whose name is longer than any socket may have', async () => {
    const long = join(temporaryFolder(), 'a'.repeat(150));
    const first = await open(long);
    const second = await openBeside(long);
    expect((await second.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await second.close();
    await first.close();
    expect(readdirSync(long).sort()).toEqual(['coordinator.lock', 'postgres']);
  });

  it('is told when the process goes away, and has the database itself after that', async () => {
    const own = temporaryFolder();
    const first = await open(own);
    const second = await openBeside(own);
    expect((await second.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await first.close();
    await expect(second.pool.query('select 1')).rejects.toThrow();
    await second.close();
    const third = await openBeside(own);
    expect((await third.pool.query('select 2 as two')).rows).toEqual([{ two: 2 }]);
    await third.close();
  });
});
