import { type Postgres, startPostgres } from '@payouts/services';
import { afterAll, beforeAll } from 'vitest';
import { recordDatabase } from '../../../../test/support/dump.ts';
import { migrate } from '../../src/store/migrate.ts';
import { type Database, openDatabase } from '../../src/store/openDatabase.ts';
import { sharedFolder } from './temporary.ts';

/** The databases that the service runs on; tests of the API run on each. */
export const STORES = ['PostgreSQL', 'PGlite'] as const;
export type StoreName = (typeof STORES)[number];

/** A migrated, empty database of its own, with its server if it has one. */
export async function openStore(name: StoreName): Promise<{ database: Database; server: Postgres | undefined }> {
  const server = name === 'PostgreSQL' ? await startPostgres() : undefined;
  const databaseUrl = await server?.createDatabase();
  const database = await openDatabase({ databaseUrl, dataDir: sharedFolder(), onError: () => {} });
  await migrate(database.query);
  return { database, server };
}

/** A migrated, empty database for the tests of a `describe`; it is there once they run. */
export function useStore(name: StoreName): { readonly database: Database; readonly server: Postgres } {
  let store: Awaited<ReturnType<typeof openStore>> | undefined;
  beforeAll(async () => {
    store = await openStore(name);
  });
  afterAll(async () => {
    if (store !== undefined) await recordDatabase(store.database.pool);
    await store?.database.close();
    await store?.server?.remove();
  });
  return {
    get database() {
      if (store === undefined) throw new Error('The store is there once tests run.');
      return store.database;
    },
    get server() {
      if (store?.server === undefined) throw new Error('The store has no server.');
      return store.server;
    },
  };
}
