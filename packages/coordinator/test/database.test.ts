import { monitorEventLoopDelay } from 'node:perf_hooks';
import { systemTime } from '@payouts/client';
import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DatabaseNewer, MIGRATIONS, migrate, pendingMigrations } from '../src/store/db/migrate.ts';
import { type Database, openDatabase } from '../src/store/db/openDatabase.ts';
import { MigrationsPending, prepareDatabase, readyDatabase, whatIsPending } from '../src/store/db/prepare.ts';
import { type Child, type Message, saying, startChild } from './support/child.ts';
import { usePostgres } from './support/servers.ts';

const NAMES = Object.keys(MIGRATIONS);
const ALL = [...NAMES, '0000_engine'];

const postgres = usePostgres();
let databaseUrl: string;
beforeEach(async () => {
  databaseUrl = await postgres.createDatabase();
});

const open = (): Promise<Database> =>
  openDatabase({ databaseUrl, databasePoolSize: 8, dataDir: 'unused', onError: () => {} });

const ready = saying({ ready: true });
const started = (message: Message) => ready(message) || 'failed' in message;

/** A process on the test's database. */
const service = (instanceName: string, mode = ''): Child =>
  startChild('service.ts', [mode], { DATABASE_URL: databaseUrl, INSTANCE_NAME: instanceName });

describe('migrations', () => {
  let database: Database;
  beforeEach(async () => {
    database = await open();
  });
  afterEach(() => database.close());

  it("bring the service's tables and the engine's, once", async () => {
    expect(await whatIsPending(database)).toEqual(ALL);
    expect(await prepareDatabase(database, databaseUrl, systemTime)).toEqual(ALL);
    expect(await whatIsPending(database)).toEqual([]);
    expect(await prepareDatabase(database, databaseUrl, systemTime)).toEqual([]);
  });

  it('are not run at start when that is not allowed, and then the start is refused', async () => {
    const settings = { databaseUrl, migrateOnStart: false };
    await expect(readyDatabase(database, settings, systemTime)).rejects.toThrow(MigrationsPending);
    await expect(readyDatabase(database, settings, systemTime)).rejects.toThrow(
      `The database lacks the migrations ${ALL.join(', ')}, and MIGRATE_ON_START is false: run npm run coordinator -- migrate.`,
    );
    expect(await whatIsPending(database)).toEqual(ALL);
    await prepareDatabase(database, databaseUrl, systemTime);
    expect(await readyDatabase(database, settings, systemTime)).toEqual([]);
  });

  it('of a later version are run once on what is there, all of them or none', async () => {
    expect(await migrate(database.query)).toEqual(NAMES);
    const later = {
      ...MIGRATIONS,
      '9001_colours': 'alter table vaults add column colour text; create table colours ()',
    };
    await expect(migrate(database.query, { ...later, '9002_wrong': 'drop table nowhere' })).rejects.toThrow('nowhere');
    expect(await pendingMigrations(database.query)).toEqual([]);
    expect(await migrate(database.query, later)).toEqual(['9001_colours']);
    expect(await migrate(database.query, later)).toEqual([]);
    await sql`select colour from vaults, colours`.execute(database.query);
  });

  it('refuse a database that a newer version has used', async () => {
    await migrate(database.query);
    await sql`insert into kysely_migration (name, timestamp) values ('9999_later', '2030')`.execute(database.query);
    for (const attempt of [pendingMigrations, migrate]) {
      await expect(attempt(database.query)).rejects.toThrow(DatabaseNewer);
      await expect(attempt(database.query)).rejects.toThrow(/newer version of this service \(it has 9999_later\)/);
    }
  });
});

describe('processes on one database', () => {
  it('all come up when three start at once on an empty one', async () => {
    const children = ['one', 'two', 'three'].map((name) => service(name));
    for (const child of children) expect(await child.said(started)).toEqual({ ready: true });
    const database = await open();
    expect(await whatIsPending(database)).toEqual([]);
    await database.close();
  });

  it('have different names: a second live one is refused, and one that died leaves its name at once', async () => {
    const first = service('same');
    expect(await first.said(started)).toEqual({ ready: true });
    expect(await service('same').said(started)).toEqual({
      failed:
        'Another process named same works on this database: stop it, or give this one an INSTANCE_NAME of its own.',
    });
    await first.kill();
    expect(await service('same').said(started)).toEqual({ ready: true });
  });

  it('leave a live one what it has, and have their name to themselves again after the server was restarted', async () => {
    const first = service('first', 'slow');
    await first.said(ready);
    first.process.send('7');
    await first.said(saying({ stage: 'claim' }));
    const other = service('other');
    await other.said(ready);
    // Its queue is looked into every 200 ms.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(other.messages.filter(saying({ window: '7' }))).toEqual([]);

    await postgres.stop('immediate');
    // The lease's loop has the name; others may find the server sooner.
    await first.said(saying({ msg: 'loop failed; retrying', loop: 'lease' }));
    await postgres.start();
    await first.said(saying({ msg: 'loop works again', loop: 'lease' }));
    expect(await service('first').said(started)).toMatchObject({
      failed: expect.stringContaining('Another process named first'),
    });
  });
});

describe('a server that does not answer', () => {
  let database: Database;
  beforeEach(async () => {
    database = await open();
    await migrate(database.query);
  });
  afterEach(async () => {
    postgres.thaw();
    await database.close();
  });
  const ask = (of: 'api' | 'query') => sql`select 1`.execute(database[of]);

  it('lets the API hear of it within two seconds, and works again by itself when it goes on', async () => {
    await Promise.all(Array.from({ length: 8 }, () => ask('api')));
    postgres.freeze();
    // What this process stood still is not the API's wait.
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    const began = Date.now();
    const answers = await Promise.allSettled(Array.from({ length: 20 }, () => ask('api')));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 'rejected'));
    expect(Date.now() - began).toBeLessThan(4_500 + delay.max / 1e6);
    delay.disable();
    postgres.thaw();
    await ask('api');
    await Promise.all(Array.from({ length: 20 }, () => ask('api')));
  });

  it('does not end the process when it goes down under queries and transactions, and is found again', async () => {
    const slow = sql`select pg_sleep(10)`.execute(database.query);
    const transaction = database.query.transaction().execute(async (inside) => {
      await sql`select 1`.execute(inside);
      await sql`select pg_sleep(10)`.execute(inside);
    });
    const idle = Array.from({ length: 3 }, () => ask('api'));
    await Promise.all(idle);
    const outcomes = Promise.allSettled([slow, transaction]);
    await postgres.stop('immediate');
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(ask('api')).rejects.toThrow();
    await postgres.start();
    await ask('api');
    await ask('query');
  });

  it('frees what a process that fell silent holds locked', async () => {
    const { rows } = await sql<{ limit: string }>`
      select current_setting('idle_in_transaction_session_timeout') as limit`.execute(database.query);
    expect(rows).toEqual([{ limit: '1min' }]);
    const { Client } = pg;
    const outside = new Client({ connectionString: databaseUrl });
    await outside.connect();
    const names = await outside.query(
      "select distinct application_name as name from pg_stat_activity where datname = current_database() and application_name like 'payouts%' order by 1",
    );
    await outside.end();
    expect(names.rows).toEqual([{ name: 'payouts command runs' }]);
  });
});
