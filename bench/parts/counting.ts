import type { Postgres } from '@payouts/testing/services';

/** A PostgreSQL server that counts statements. */
export type CountingServer = {
  readonly postgres: Postgres;
  readonly pid: number;
  /** Statements on a database since `reset`, by the server's milliseconds for them. */
  statements(databaseUrl: string): Promise<{ calls: number; milliseconds: number; statement: string }[]>;
  reset(): Promise<void>;
};

/** Has a server count; the extension is of the package postgresql-contrib, or of Debian's postgresql itself. */
export async function counting(postgres: Postgres): Promise<CountingServer> {
  const home = await postgres.createDatabase();
  const rows = (query: string) => postgres.rows(home, query);
  await rows(`alter system set shared_preload_libraries = 'pg_stat_statements'`);
  await postgres.stop();
  await postgres.start();
  await rows('create extension pg_stat_statements');
  const [first] = await rows(`select split_part(pg_read_file('postmaster.pid'), E'\\n', 1) as pid`);
  return {
    postgres,
    pid: Number(first?.pid),
    async reset() {
      await rows('select pg_stat_statements_reset()');
    },
    async statements(databaseUrl) {
      const name = new URL(databaseUrl).pathname.slice(1);
      const found = await rows(
        `select calls, total_exec_time as milliseconds, regexp_replace(query, '\\s+', ' ', 'g') as statement
          from pg_stat_statements where dbid = (select oid from pg_database where datname = '${name}') order by 2 desc`,
      );
      return found.map(({ calls, milliseconds, statement }) => ({
        calls: Number(calls),
        milliseconds: Number(milliseconds),
        statement: String(statement),
      }));
    },
  };
}
