import { systemTime } from '@payouts/client';
import { recordDatabase } from '@payouts/testing/dump';
import { type SharedPostgres, sharedPostgres } from '@payouts/testing/postgres';
import { afterAll, beforeAll } from 'vitest';
import { type Database, openDatabase } from '../../src/store/db/openDatabase.ts';
import { prepareDatabase } from '../../src/store/db/prepare.ts';
import { sharedFolder } from './temporary.ts';

/** The databases that the service runs on. */
export const STORES = ['PostgreSQL', 'PGlite'] as const;
export type StoreName = (typeof STORES)[number];

/** A migrated, empty database of its own. */
export async function openStore(name: StoreName): Promise<{ database: Database; server: SharedPostgres | undefined }> {
  const server = name === 'PostgreSQL' ? await sharedPostgres() : undefined;
  const databaseUrl = await server?.createDatabase();
  const opened = await openDatabase({ databaseUrl, dataDir: sharedFolder(), onError: () => {} });
  // The API gives a silent database up after two seconds; tests that are not about that are as patient as runs are.
  const database = { ...opened, api: opened.query };
  await prepareDatabase(database, databaseUrl, systemTime);
  return { database, server };
}

/** A migrated, empty database for the tests of a `describe`; it is there once they run. */
export function useStore(name: StoreName = 'PostgreSQL'): { readonly database: Database } {
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
  };
}
