import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** The rows that a query of a database finds. */
export async function rowsOf(connectionString: string, query: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(query)).rows;
  } finally {
    await client.end();
  }
}

/** The databases of the server at an address whose path is replaced. */
export function databasesOf(serverUrl: string) {
  const address = (name: string) => Object.assign(new URL(serverUrl), { pathname: name }).href;
  const nameOf = (databaseUrl: string) => new URL(databaseUrl).pathname.slice(1);
  return {
    rows: rowsOf,
    /** Creates a database and returns its address, `postgres://…`: an empty one, or a copy of another one that nobody is using. */
    async createDatabase(copied?: string): Promise<string> {
      const name = `payouts_${randomBytes(8).toString('hex')}`;
      const source = copied === undefined ? '' : ` template ${nameOf(copied)}`;
      await rowsOf(address('postgres'), `create database ${name}${source}`);
      return address(name);
    },
    /** Removes a database; who is using it is disconnected. */
    async dropDatabase(databaseUrl: string): Promise<void> {
      await rowsOf(address('postgres'), `drop database ${nameOf(databaseUrl)} with (force)`);
    },
  };
}
