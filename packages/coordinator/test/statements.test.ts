import type { Pool } from 'pg';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { batched } from '../src/store/batched.ts';
import { openDatabase } from '../src/store/db/openDatabase.ts';
import { isDatabaseOutage } from '../src/store/db/outage.ts';
import { openServerPool } from '../src/store/db/serverPool.ts';
import { StatementNames } from '../src/store/db/statementNames.ts';
import { useSharedPostgres } from './support/servers.ts';

describe('statements that are made often', () => {
  const postgres = useSharedPostgres();
  let databaseUrl: string;
  beforeAll(async () => {
    databaseUrl = await postgres.createDatabase();
  });

  it('are prepared, and prepared anew when a migration has changed their table', async () => {
    const patience = { connectMs: 5_000, queryMs: 5_000 };
    const pool = openServerPool(databaseUrl, { size: 1, name: 'test', patience }, () => {});
    onTestFinished(() => pool.end());
    await pool.query('create table things (id integer)');
    await pool.query('insert into things values (7)');
    const read = async () => (await pool.query('select * from things where id = $1', [7])).rows;
    for (let time = 0; time < 10; time++) expect(await read()).toEqual([{ id: 7 }]);
    const prepared = await pool.query("select statement from pg_prepared_statements where statement like '%things%'");
    expect(prepared.rows).toEqual([{ statement: 'select * from things where id = $1' }]);

    await pool.query('alter table things add column name text');
    // As if the connection had been lost: whoever asked asks again.
    const failed = await read().catch((error: unknown) => error);
    expect(isDatabaseOutage(failed)).toBe(true);
    expect(await read()).toEqual([{ id: 7, name: null }]);
  });

  it('are planned once in the background, and for each request as the server sees fit', async () => {
    const settings = { databaseUrl, databasePoolSize: 2, dataDir: '', onError: () => {} };
    const database = await openDatabase(settings);
    onTestFinished(() => database.close());
    const plansOf = async (pool: Pool) => {
      for (let time = 0; time < 12; time++) await pool.query('select from pg_class where oid = any($1)', [[1, 2]]);
      const plans = `select custom_plans::integer as custom, generic_plans::integer as generic from pg_prepared_statements
          where statement like '%any($1)%'`;
      return (await pool.query<{ custom: number; generic: number }>(plans)).rows;
    };
    expect(await plansOf(database.pool)).toEqual([{ custom: 0, generic: 8 }]);
    expect((await plansOf(database.apiPool))[0]?.custom).toBeGreaterThan(0);
  });

  it('have a name from their fifth use on, and only so many of them', () => {
    const names = new StatementNames();
    const fifth = (text: string) => Array.from({ length: 5 }, () => names.nameOf(text)).at(-1);
    expect(Array.from({ length: 4 }, () => names.nameOf('select 1'))).toEqual(Array.from({ length: 4 }));
    const first = names.nameOf('select 1');
    expect(first).toBeDefined();
    expect(names.nameOf('select 1')).toBe(first);
    const others = Array.from({ length: 1_000 }, (_, number) => fifth(`select ${number} of many`));
    const named = others.filter((name) => name !== undefined);
    expect(new Set([first, ...named]).size).toBe(named.length + 1);
    expect(named.length).toBeLessThan(300);
    expect(names.nameOf('select 1')).toBe(first);
  });
});

describe('what many keep at about the same time', () => {
  type Item = { readonly key: string; readonly value: number };
  const recorder = () => {
    const calls: Item[][] = [];
    const ends: ((error?: Error) => void)[] = [];
    const keep = batched<Item>(
      ({ key }) => key,
      (items) => {
        calls.push([...items]);
        return new Promise<void>((kept, failed) => ends.push((error) => (error ? failed(error) : kept())));
      },
    );
    return { calls, ends, keep };
  };
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

  it('goes into one call while another is under way, the later of two with one key', async () => {
    const { calls, ends, keep } = recorder();
    const first = keep({ key: 'a', value: 1 });
    await turn();
    const others = [keep({ key: 'a', value: 2 }), keep({ key: 'b', value: 3 }), keep({ key: 'a', value: 4 })];
    await turn();
    expect(calls).toEqual([[{ key: 'a', value: 1 }]]);
    ends[0]?.();
    await first;
    await turn();
    expect(calls[1]).toEqual([
      { key: 'a', value: 4 },
      { key: 'b', value: 3 },
    ]);
    ends[1]?.();
    await Promise.all(others);
    expect(calls).toHaveLength(2);
  });

  it('fails for those whose call failed, and for nobody else', async () => {
    const { ends, keep } = recorder();
    const first = keep({ key: 'a', value: 1 });
    await turn();
    const second = keep({ key: 'b', value: 2 });
    ends[0]?.(new Error('lost'));
    await expect(first).rejects.toThrow('lost');
    await turn();
    ends[1]?.();
    await second;
  });
});
