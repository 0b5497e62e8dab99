import { systemTime } from '@payouts/client';
import { type SharedPostgres, sharedPostgres } from '@payouts/testing/postgres';
import { type Postgres, startPostgres } from '@payouts/testing/services';
import { afterAll, beforeAll } from 'vitest';

/** A server for the tests of a file or a `describe`; it is there once they run. */
function use<Server extends { remove(): Promise<void> }>(start: () => Promise<Server>): Server {
  const server = {} as Server;
  beforeAll(async () => {
    Object.assign(server, await start());
  });
  afterAll(() => server.remove?.());
  return server;
}

/** A PostgreSQL server of these tests' own, which they may stop and freeze. */
export const usePostgres = (): Postgres => use(() => startPostgres(systemTime, { isToBeFrozen: true }));

/** These tests' part of the PostgreSQL server that the whole run shares. */
export const useSharedPostgres = (): SharedPostgres => use(sharedPostgres);
