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

export type TestStore = { readonly database: Database; readonly query: Database['query'] };

/** A migrated, empty database for the tests of a `describe`; it is there once they run. */
export function useStore(name: StoreName = 'PostgreSQL'): TestStore {
  const store = {} as { database: Database; query: Database['query'] };
  let server: SharedPostgres | undefined;
  beforeAll(async () => {
    const opened = await openStore(name);
    server = opened.server;
    Object.assign(store, { database: opened.database, query: opened.database.query });
  });
  afterAll(async () => {
    await recordDatabase(store.database.pool);
    await store.database.close();
    await server?.remove();
  });
  return store;
}
