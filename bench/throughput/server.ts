import { systemTime } from '@payouts/client';
import { type Postgres, startPostgres } from '@payouts/testing/services';

/** What a database was asked while it was measured. */
export type Statements = {
  readonly calls: number;
  readonly all: readonly { readonly calls: number; readonly milliseconds: number; readonly statement: string }[];
};

/** A PostgreSQL server of its own that counts statements. */
export type CountingServer = {
  readonly postgres: Postgres;
  readonly pid: number;
  /** Forgets what was counted. */
  reset(): Promise<void>;
  /** Statements on a database since `reset`, those that begin and end transactions among them. */
  statements(databaseUrl: string): Promise<Statements>;
};

/** Starts the server; its extension is of the package postgresql-contrib, or of Debian's postgresql itself. */
export async function startCountingServer(): Promise<CountingServer> {
  const postgres = await startPostgres(systemTime);
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
          from pg_stat_statements where dbid = (select oid from pg_database where datname = '${name}')`,
      );
      const all = found.map(({ calls, milliseconds, statement }) => ({
        calls: Number(calls),
        milliseconds: Number(milliseconds),
        statement: String(statement),
      }));
      return { calls: all.reduce((sum, { calls }) => sum + calls, 0), all };
    },
  };
}
