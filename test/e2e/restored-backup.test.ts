import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { systemTime } from '@payouts/client';
import { Failpoints } from '@payouts/testing/failpoints';
import { type Postgres, startPostgres } from '@payouts/testing/services';
import { variedPayees } from '@payouts/testing/wallets';
import { type Employer, expectInFull, HOUR, until, World } from '@payouts/testing/world';
import { beforeAll, expect, it } from 'vitest';

const RECIPIENTS = 40;

let world: World;
let postgres: Postgres;
let employer: Employer;

beforeAll(async () => {
  [world, postgres] = await Promise.all([World.start(), startPostgres(systemTime, { withClients: true })]);
  employer = await world.employer(await variedPayees(RECIPIENTS, 1_000_000n), { executions: 5 });
});

const failpoints = new Failpoints();
const start = (databaseUrl: string) =>
  world.startCoordinator(
    {
      DATABASE_URL: databaseUrl,
      PAYLOAD_KEY: world.payloadKey,
      RECONCILE_INTERVAL_SECONDS: '1',
      LEASE_SECONDS: '3',
    },
    failpoints,
  );

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

/** Everybody has exactly so many payments, every money rule holds, and the recorded tree is of all that the pool holds. */
async function expectPaid(windows: bigint): Promise<void> {
  await world.checkPaid(windows, employer);
  const { held, liabilitiesLeft } = await world.pool(employer);
  expect(liabilitiesLeft).toBe(held);
}

it('pays nobody twice from a backup that is older than the ledger, and goes on with the next window', async () => {
  const original = await postgres.createDatabase();
  await start(original);
  await world.registerAndSettle(employer);
  const afterFirst = backUp(original, 'after-window-0.dump');

  await world.localnet.admin.advanceClock(HOUR);
  await until(async () => (await world.executions(employer)).length > 1, 'the run of window 1', 30_000, 2);
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
  const old = await restore(afterFirst);
  await start(old);
  await world.localnet.admin.advanceClock(HOUR);
  await world.settledInFull(employer, 3n);
  await expectPaid(4n);
  // What it has lost comes back from the ledger.
  const runs = await until(async () => {
    const known = await world.executions(employer);
    return known.length === 4 && known;
  }, 'the runs of windows 1 and 2');
  expect(runs.map(({ window, state, rebuilt }) => `${window} ${state}${rebuilt ? ' rebuilt' : ''}`)).toEqual([
    '3 settled',
    '2 settled rebuilt',
    '1 settled rebuilt',
    '0 settled',
  ]);
  for (const run of runs) expectInFull(employer, run);
  await world.stopCoordinator();

  // And this one has a run and a workflow under way whose window is open on the ledger, with claims that nobody noted.
  const latest = await restore(backUp(old, 'after-window-3.dump'));
  await start(latest);
  const paying = failpoints.hold('claim:after-landing', employer, { window: 4n });
  await world.localnet.admin.advanceClock(HOUR);
  await paying;
  const unfinished = backUp(latest, 'within-window-4.dump');
  await world.killCoordinator();
  await start(await restore(unfinished));
  await world.settled(employer, 4n);
  await expectPaid(5n);
  expect((await world.executions(employer)).map(({ window }) => window)).toEqual(['4', '3', '2', '1', '0']);
});
