import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readExecutions } from '@payouts/cli';
import { recipientsToJson } from '@payouts/client';
import { type CoordinatorProcess, startCoordinator } from '@payouts/sandbox';
import { recordStore } from '@payouts/testing/dump';
import { type SharedPostgres, sharedPostgres } from '@payouts/testing/postgres';
import { World } from '@payouts/testing/world';
import { generateKeyPairSigner } from '@solana/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';

const CLIENTS = 50;
const RECIPIENTS = 40;
const SCHEDULES = 4;
const WINDOWS = 2;

let world: World;
let postgres: SharedPostgres;
let databaseUrl: string;
const coordinators: CoordinatorProcess[] = [];
beforeAll(async () => {
  [world, postgres] = await Promise.all([World.shared(), sharedPostgres()]);
  databaseUrl = await postgres.createEmptyDatabase();
  // Both at once on an empty database.
  const starting = ['one', 'two'].map((name) =>
    startCoordinator(
      {
        ...world.settings,
        INSTANCE_NAME: name,
        DATABASE_URL: databaseUrl,
        PAYLOAD_KEY: world.payloadKey,
        REGISTRATIONS_PER_MINUTE: '1000',
      },
      join(world.folder, `${name}.log`),
    ),
  );
  coordinators.push(...(await Promise.all(starting)));
});
afterAll(async () => {
  await Promise.all(coordinators.map((coordinator) => coordinator.stop()));
  await recordStore({ databaseUrl, dataDir: world.folder });
  await world?.stop();
  await postgres?.remove();
});

const rowsOf = (query: string) => postgres.rows(databaseUrl, query);

it('50 clients register the same schedule at once through two coordinators: one row, one 201, the rest 200', async () => {
  const keys = await Promise.all(Array.from({ length: RECIPIENTS }, () => generateKeyPairSigner()));
  const employer = await world.employer(
    keys.map(({ address }) => ({ recipient: address, amount: 3n })),
    { firstExecution: BigInt(Math.floor(Date.now() / 1_000) + 86_400) },
  );
  const body = JSON.stringify({
    schedulePda: employer.schedule,
    recipients: recipientsToJson(employer.list.recipients),
  });
  const statuses = await Promise.all(
    Array.from({ length: CLIENTS }, async (_, place) => {
      const { url } = coordinators[place % 2] as CoordinatorProcess;
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${url}/api/schedules`, { method: 'POST', headers, body });
      await response.arrayBuffer();
      return response.status;
    }),
  );
  expect(statuses.toSorted()).toEqual([...Array.from({ length: CLIENTS - 1 }, () => 200), 201]);
  expect(await rowsOf(`select 1 from schedules where address = '${employer.schedule}'`)).toHaveLength(1);
  expect(await rowsOf(`select 1 from recipient_lists where schedule = '${employer.schedule}'`)).toHaveLength(1);
}, 300_000);

it('both look for due schedules, and each window has one run and is paid once', async () => {
  const employers = [];
  for (let place = 0; place < SCHEDULES; place++) {
    const keys = await Promise.all(Array.from({ length: RECIPIENTS }, () => generateKeyPairSigner()));
    const employer = await world.employer(
      keys.map(({ address }) => ({ recipient: address, amount: 3n })),
      { executions: WINDOWS, calendar: { unit: 'seconds', every: 3, day: 0 }, batchTimeout: 600 },
    );
    const { url } = coordinators[place % 2] as CoordinatorProcess;
    const response = await fetch(`${url}/api/schedules`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ schedulePda: employer.schedule, recipients: recipientsToJson(employer.list.recipients) }),
    });
    expect(response.status).toBe(201);
    employers.push(employer);
  }
  const { url } = coordinators[0] as CoordinatorProcess;
  const deadline = Date.now() + 90_000;
  for (const employer of employers) {
    for (;;) {
      const runs = await readExecutions(url, employer.schedule);
      if (runs.filter(({ state }) => state === 'settled').length === WINDOWS) break;
      if (Date.now() > deadline) throw new Error(`not settled: ${JSON.stringify(runs)}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(new Set(await world.privateBalances(employer))).toEqual(new Set([3n * BigInt(WINDOWS)]));
  }
  await world.checkMoneyRules(...employers);
  const twice = await rowsOf('select schedule, window_number from execution_runs group by 1, 2 having count(*) > 1');
  expect(twice).toEqual([]);
  const created = ['one', 'two'].flatMap((name) =>
    readFileSync(join(world.folder, `${name}.log`), 'utf8')
      .split('\n')
      .filter((line) => line.includes('run created')),
  );
  expect(created).toHaveLength(SCHEDULES * WINDOWS);
}, 300_000);
