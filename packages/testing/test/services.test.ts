import { systemTime } from '@payouts/client';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { startPostgres } from '../src/services/index.ts';
import { serversEndWith } from './support/killed.ts';

describe('what a killed process leaves', () => {
  it.each(['running', 'frozen'] as const)('is no PostgreSQL server: %s', (state) => serversEndWith('postgres', state));
});

describe('PostgreSQL', () => {
  it('keeps its data over a stop, answers nothing while frozen, and leaves nothing', async () => {
    const server = await startPostgres(systemTime);
    const url = await server.createDatabase();
    const query = async (text: string) => {
      const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 300, query_timeout: 300 });
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
      await expect(query('select 1')).rejects.toThrow();
      await server.start();
      expect(await query('select * from kept')).toEqual([]);
      server.freeze();
      await expect(query('select 1')).rejects.toThrow();
      server.thaw();
      expect(await query('select 1 as one')).toEqual([{ one: 1 }]);
    } finally {
      await server.remove();
    }
  });
});
