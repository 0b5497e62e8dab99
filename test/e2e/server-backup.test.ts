import { systemTime } from '@payouts/client';
import { type Postgres, startPostgres } from '@payouts/testing/services';
import { beforeAll, describe } from 'vitest';
import { testBackups } from '../../packages/coordinator/test/support/backups.ts';

describe("backups of a server's database", () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres(systemTime, { withClients: true });
  });
  testBackups(() => postgres.createDatabase());
});
