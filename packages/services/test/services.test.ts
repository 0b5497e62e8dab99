import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { startPostgres, startValkey } from '../src/index.ts';

describe('PostgreSQL', () => {
  it('keeps its data over a stop, answers nothing while frozen, and leaves nothing', async () => {
    const server = await startPostgres();
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

describe('Valkey', () => {
  it('stops and starts on the same port', async () => {
    const server = await startValkey();
    const { url } = server;
    await server.stop();
    await server.start();
    expect(server.url).toBe(url);
    await server.remove();
  });
});
