import { type Databases, databasesOf } from '@payouts/testing/services';
import { askForShared } from './shared.ts';

/** A test file's part of the PostgreSQL server that the whole test run shares. Nobody may stop or freeze that one. */
export interface SharedPostgres extends Pick<Databases, 'rows'> {
  /** Creates a database that has all migrations, or a copy of another one that nobody is using, and returns its address. */
  createDatabase(copied?: string): Promise<string>;
  createEmptyDatabase(): Promise<string>;
  /** Drops what it created. */
  remove(): Promise<void>;
}

/** The test run's PostgreSQL server; the first who asks starts it. Throws `ServiceMissing`. */
export async function sharedPostgres(): Promise<SharedPostgres> {
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
    createDatabase: (copied = template) => create(copied),
    createEmptyDatabase: () => create(),
    async remove() {
      await Promise.all(created.splice(0).map(dropDatabase));
    },
  };
}
