import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readExecutions } from '@payouts/cli';
import { fetchSchedule } from '@payouts/client';
import { type Postgres, startPostgres } from '@payouts/services';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { payeesWithKeys } from '../support/wallets.ts';
import { type Employer, until, World } from '../support/world.ts';

const RECIPIENTS = 40;
const HOUR = 3_600;

let world: World;
let postgres: Postgres;
let employer: Employer;
let payloadKey: string;

beforeAll(async () => {
  [world, postgres] = await Promise.all([World.start(), startPostgres()]);
  payloadKey = join(world.folder, 'payload.key');
  await writeFile(payloadKey, randomBytes(32).toString('hex'), { mode: 0o600 });
  const { payees } = await payeesWithKeys(RECIPIENTS, 1_000_000n);
  employer = await world.employer(payees, { executions: 4, calendar: { unit: 'seconds', every: HOUR, day: 0 } });
});
afterAll(async () => {
  await world?.stop();
  await postgres?.remove();
});

const start = (databaseUrl: string) => world.startCoordinator({ DATABASE_URL: databaseUrl, PAYLOAD_KEY: payloadKey });

/** As docs/operating/data.md has it; the coordinator runs meanwhile. */
function backUp(databaseUrl: string, name: string): string {
  const file = join(world.folder, name);
  execFileSync(join(postgres.programs, 'pg_dump'), ['--format=custom', `--file=${file}`, databaseUrl]);
  return file;
}

async function restore(file: string): Promise<string> {
  const databaseUrl = await postgres.createDatabase();
  const options = ['--exit-on-error', '--no-owner', `--dbname=${databaseUrl}`];
  execFileSync(join(postgres.programs, 'pg_restore'), [...options, file]);
  return databaseUrl;
}

/** Everybody has exactly so many payments, and every money rule holds. */
async function expectPaid(windows: bigint): Promise<void> {
  const { list } = employer;
  expect(await world.privateBalances(employer)).toEqual(list.recipients.map(({ amount }) => windows * amount));
  const { data } = await fetchSchedule(world.ledgers.base, employer.schedule);
  expect(data).toMatchObject({ window: windows, paidTotal: windows * list.total });
  await world.checkMoneyRules(employer);
  const { held, owedTotal } = await world.pool(employer);
  expect(owedTotal).toBe(held);
}

it('pays nobody twice from a backup that is older than the ledger, and goes on with the next window', async () => {
  const original = await postgres.createDatabase();
  await start(original);
  await world.register(employer);
  await world.settled(employer, 0n);
  const afterFirst = backUp(original, 'after-window-0.dump');

  await world.localnet.admin.advanceClock(HOUR);
  await until(
    async () => ((await readExecutions(world.apiUrl, employer.schedule)).length > 1 ? true : undefined),
    'the run of window 1',
    30_000,
    2,
  );
  const within = backUp(original, 'within-window-1.dump');
  await world.settled(employer, 1n);
  await expectPaid(2n);
  await world.stopCoordinator();

  // The backup knows of window 1 as a run under way, unless that was quicker: it ends as the ledger says, and nothing is paid.
  await start(await restore(within));
  await world.settled(employer, 1n);
  await expectPaid(2n);
  await world.localnet.admin.advanceClock(HOUR);
  await world.settled(employer, 2n);
  await expectPaid(3n);
  await world.stopCoordinator();

  // This one has never heard of windows 1 and 2.
  await start(await restore(afterFirst));
  await world.localnet.admin.advanceClock(HOUR);
  const last = await world.settled(employer, 3n);
  expect(last.claims).toEqual({ paid: RECIPIENTS, total: RECIPIENTS });
  await expectPaid(4n);
  expect((await readExecutions(world.apiUrl, employer.schedule)).map(({ window }) => window)).toEqual(['3', '0']);
}, 180_000);
