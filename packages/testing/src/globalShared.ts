// A globalSetup of Vitest: one PostgreSQL server with a migrated database to be copied, and one pair of ledgers, for all test files of a
// run. Each starts when the first file asks for it, so that files that need none don't wait for one.
// What they need is imported then: before, globalBuild.ts may not have built it.
import { share } from './shared.ts';

async function startMigratedPostgres() {
  const { systemTime } = await import('@payouts/client');
  const { startPostgres } = await import('@payouts/testing/services');
  const { openDatabase } = await import('@payouts/coordinator/testing');
  const { prepareDatabase } = await import('@payouts/coordinator/testing');
  const postgres = await startPostgres(systemTime);
  const databaseUrl = await postgres.createDatabase();
  const database = await openDatabase({ databaseUrl, dataDir: 'unused', onError: () => {} });
  await prepareDatabase(database, databaseUrl, systemTime);
  await database.close();
  return { told: databaseUrl, stop: () => postgres.remove() };
}

async function startSharedLedgers() {
  const { World } = await import('./world.ts');
  const world = await World.start();
  return { told: JSON.stringify(world.urls), stop: () => world.stop() };
}

export default async function setup(): Promise<() => Promise<void>> {
  const ends = [await share('POSTGRES', startMigratedPostgres), await share('LEDGERS', startSharedLedgers)];
  return async () => {
    await Promise.all(ends.map((end) => end()));
  };
}
