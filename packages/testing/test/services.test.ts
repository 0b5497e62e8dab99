import { systemTime } from '@payouts/client';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { startPostgres } from '../src/services/index.ts';
import { serversEndWith } from './support/killed.ts';

describe('what a killed process leaves', () => {
  it.each(['running', 'frozen'] as const)('is no PostgreSQL server: %s', (state) => serversEndWith('postgres', state));
});

/** Milliseconds in which a server that is down or frozen doesn't answer, and those in which one that works does. */
const [SHORT, LONG] = [300, 60_000];

describe('PostgreSQL', () => {
  it('keeps its data over a stop, answers nothing while frozen, and leaves nothing', async () => {
    const server = await startPostgres(systemTime, { isToBeFrozen: true });
    const url = await server.createDatabase();
    const query = async (text: string, withinMs = LONG) => {
      const limits = { connectionTimeoutMillis: withinMs, query_timeout: withinMs };
      const client = new pg.Client({ connectionString: url, ...limits });
      client.on('error', () => {});
      try {
        await client.connect();
        return (await client.query(text)).rows;
      } finally {
        await client.end().catch(() => {});
      }
    };
    try {
      await query('create table kept (value int)');
      await server.stop();
      await expect(query('select 1', SHORT)).rejects.toThrow();
      await server.start();
      expect(await query('select * from kept')).toEqual([]);
      server.freeze();
      await expect(query('select 1', SHORT)).rejects.toThrow();
      server.thaw();
      expect(await query('select 1 as one')).toEqual([{ one: 1 }]);
    } finally {
      await server.remove();
    }
  });

  it('keeps nothing more on a disk that is full, and goes on once there is room', async () => {
    const server = await startPostgres(systemTime, { isDurable: true, diskBytes: 256 << 20 });
    try {
      const url = await server.createDatabase();
      await server.rows(url, 'create table kept (value text)');
      const much = 'insert into kept select repeat(md5(random()::text), 100) from generate_series(1, 10000)';
      server.disk?.fill();
      await expect(server.rows(url, much)).rejects.toThrow('No space left on device');
      server.disk?.free();
      if (!(await server.answers())) await server.start();
      await server.rows(url, much);
      expect(await server.rows(url, 'select count(*)::int as all from kept')).toEqual([{ all: 10_000 }]);
    } finally {
      await server.remove();
    }
  });
});
