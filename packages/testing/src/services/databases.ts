import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** The databases of a PostgreSQL server. */
export interface Databases {
  /** Creates a database and returns its address, `postgres://…`: an empty one, or a copy of another one that nobody is using. */
  createDatabase(copied?: string): Promise<string>;
  /** Removes a database; who is using it is disconnected. */
  dropDatabase(databaseUrl: string): Promise<void>;
  /** The rows that a query of a database finds. */
  rows(databaseUrl: string, query: string): Promise<Record<string, unknown>[]>;
}

/** The databases of the server at an address whose path is replaced. */
export function databasesOf(serverUrl: string): Databases {
  const address = (name: string) => Object.assign(new URL(serverUrl), { pathname: name }).href;
  const nameOf = (databaseUrl: string) => new URL(databaseUrl).pathname.slice(1);
  const rows: Databases['rows'] = async (connectionString, query) => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(query)).rows;
    } finally {
      await client.end();
    }
  };
  return {
    rows,
    async createDatabase(copied) {
      const name = `payouts_${randomBytes(8).toString('hex')}`;
      const source = copied === undefined ? '' : ` template ${nameOf(copied)}`;
      await rows(address('postgres'), `create database ${name}${source}`);
      return address(name);
    },
    async dropDatabase(databaseUrl) {
      await rows(address('postgres'), `drop database ${nameOf(databaseUrl)} with (force)`);
    },
  };
}
