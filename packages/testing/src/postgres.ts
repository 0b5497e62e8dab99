import { databasesOf } from '@payouts/testing/services';
import { askForShared } from './shared.ts';

/** A test file's part of the PostgreSQL server that the whole test run shares. Nobody may stop or freeze that one. */
export type SharedPostgres = Awaited<ReturnType<typeof sharedPostgres>>;

/** The test run's PostgreSQL server; the first who asks starts it. Throws `ServiceMissing`. */
export async function sharedPostgres() {
  const template = await askForShared('POSTGRES');
  const { rows, createDatabase, dropDatabase } = databasesOf(template);
  const created: string[] = [];
  const create = async (copied?: string) => {
    const databaseUrl = await createDatabase(copied);
    created.push(databaseUrl);
    return databaseUrl;
  };
  return {
    rows,
    /** Creates a database that has all migrations, or a copy of another one that nobody is using, and returns its address. */
    createDatabase: (copied = template) => create(copied),
    createEmptyDatabase: () => create(),
    /** Drops what it created. */
    async remove() {
      await Promise.all(created.splice(0).map(dropDatabase));
    },
  };
}
