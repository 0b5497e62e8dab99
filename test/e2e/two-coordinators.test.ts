import { registerSchedule } from '@payouts/cli';
import { recipientsToJson } from '@payouts/client';
import { Cluster } from '@payouts/testing/cluster';
import { somePayees } from '@payouts/testing/wallets';
import { type Employer, everySeconds, inSeconds, until, World } from '@payouts/testing/world';
import { beforeAll, expect, it } from 'vitest';

const NAMES = ['one', 'two'];
const CLIENTS = 50;
const RECIPIENTS = 40;
const SCHEDULES = 4;
const WINDOWS = 2;

let world: World;
let cluster: Cluster;
beforeAll(async () => {
  world = await World.shared();
  // Both at once on an empty database.
  const DATABASE_URL = await (await world.postgres()).createEmptyDatabase();
  const limits = { REGISTRATIONS_PER_MINUTE: '1000', REGISTRATIONS_AT_A_TIME: String(CLIENTS) };
  cluster = await Cluster.start(world, NAMES, { DATABASE_URL, ...limits });
});

it('50 clients register the same schedule at once through two coordinators: one row, one 201, the rest 200', async () => {
  const employer = await world.employer(await somePayees(RECIPIENTS, 3n), { firstExecution: inSeconds(86_400) });
  const body = JSON.stringify({
    schedulePda: employer.schedule,
    recipients: recipientsToJson(employer.list.recipients),
  });
  const statuses = await Promise.all(
    Array.from({ length: CLIENTS }, async (_, place) => {
      const { url } = cluster.of(NAMES[place % 2] as string);
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${url}/api/schedules`, { method: 'POST', headers, body });
      await response.arrayBuffer();
      return response.status;
    }),
  );
  expect(statuses.toSorted()).toEqual([...Array.from({ length: CLIENTS - 1 }, () => 200), 201]);
  expect(await cluster.rows(`select 1 from schedules where address = '${employer.schedule}'`)).toHaveLength(1);
  expect(await cluster.rows(`select 1 from recipient_lists where schedule = '${employer.schedule}'`)).toHaveLength(1);
});

it('both look for due schedules, and each window has one run and is paid once', async () => {
  const employers: Employer[] = [];
  for (let place = 0; place < SCHEDULES; place++) {
    const terms = { executions: WINDOWS, calendar: everySeconds(3), batchTimeout: 600 };
    const employer = await world.employer(await somePayees(RECIPIENTS, 3n), terms);
    const { url } = cluster.of(NAMES[place % 2] as string);
    expect(await registerSchedule(url, employer.schedule, employer.list)).toBe(true);
    employers.push(employer);
  }
  for (const employer of employers) {
    for (let window = 0n; window < WINDOWS; window += 1n) await cluster.settledInFull(employer, window);
  }
  await world.checkPaid(WINDOWS, ...employers);
  const twice = await cluster.rows(
    'select schedule, window_number from execution_runs group by 1, 2 having count(*) > 1',
  );
  expect(twice).toEqual([]);
  const created = () => NAMES.flatMap((name) => cluster.logOf(name).filter(({ msg }) => msg.includes('run created')));
  // A line may come to the file after what it tells of.
  await until(async () => created().length >= SCHEDULES * WINDOWS, 'all runs to be logged');
  expect(created()).toHaveLength(SCHEDULES * WINDOWS);
});
