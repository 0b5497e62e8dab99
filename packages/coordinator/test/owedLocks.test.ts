import { type Postgres, startPostgres } from '@payouts/services';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ServerLocks } from '../src/store/serverLocks.ts';
import { randomAddress } from './support/fakeToken.ts';

let postgres: Postgres;
let databaseUrl: string;
beforeAll(async () => {
  postgres = await startPostgres();
  databaseUrl = await postgres.createDatabase();
});
afterAll(() => postgres?.remove());

const opened: ServerLocks[] = [];
const aProcess = (processName: string) => {
  const locks = new ServerLocks({ databaseUrl, processName });
  opened.push(locks);
  return locks;
};
afterEach(async () => {
  await Promise.all(opened.splice(0).map((locks) => locks.close()));
});
const endSessions = (processName: string) =>
  postgres.rows(
    databaseUrl,
    `select pg_terminate_backend(pid) from pg_stat_activity where split_part(application_name, ' ', 2) = '${processName}'`,
  );

describe("the processes' locks on a token", () => {
  it('make one process the keeper of a token, for as long as it lives', async () => {
    const [one, two] = [aProcess('one'), aProcess('two')];
    const [a, b] = [randomAddress(), randomAddress()];
    expect(await one.isKeeper(a)).toBe(true);
    expect(await two.isKeeper(a)).toBe(false);
    expect(await two.isKeeper(b)).toBe(true);
    expect(await one.isKeeper(a)).toBe(true);
    expect(await one.isKeeper(b)).toBe(false);
    opened.splice(opened.indexOf(one), 1);
    await one.close();
    await expect.poll(() => two.isKeeper(a), { timeout: 5_000 }).toBe(true);
  });

  it('take tokens from a process whose sessions were ended, and it notices', async () => {
    const [one, two] = [aProcess('one'), aProcess('two')];
    const mint = randomAddress();
    expect(await one.isKeeper(mint)).toBe(true);
    await endSessions('one');
    await expect.poll(() => two.isKeeper(mint), { timeout: 5_000 }).toBe(true);
    await expect.poll(() => one.isKeeper(mint), { timeout: 5_000 }).toBe(false);
    // It works on over a new session.
    expect(await one.isKeeper(randomAddress())).toBe(true);
  });
});
