// A list registered over HTTP, on PostgreSQL and on the embedded database.
import { recipientsToJson } from '@payouts/client';
import { metricIn } from '@payouts/testing/metrics';
import type { Postgres } from '@payouts/testing/services';
import { inSeconds, type World } from '@payouts/testing/world';
import { somePayees } from '../parts/payees.ts';
import { postList } from '../parts/postList.ts';
import { onLedgers, onPostgres } from '../parts/servers.ts';
import { SERVICE_DEFAULTS } from '../parts/settings.ts';
import { untilIdle } from '../processes.ts';
import { judged, type Measure, type Row } from '../row.ts';
import { inTurn, median } from '../statistics.ts';
import { hashAlone } from './tree.ts';

const LATER_SECONDS = 7 * 86_400;
const RUNS = 5;

/** What one registration took, in milliseconds: the answer, and the longest standstill of the event loop until then. */
type Taken = { readonly answered: number; readonly standstill: number };

async function register(world: World, body: Buffer): Promise<Taken> {
  const longest = async () => metricIn(await world.metrics(), 'service_nodejs_eventloop_lag_max_seconds') * 1_000;
  await untilIdle(world.coordinatorPid);
  await longest();
  const answered = await postList(world.apiUrl, body);
  return { answered, standstill: await longest() };
}

function rowsOf(database: string, recipients: number, floor: number, taken: readonly Taken[]): Row[] {
  const name = `registration of ${recipients.toLocaleString('en')} on ${database}`;
  const middle = (of: keyof Taken) => median(taken.map((one) => one[of]));
  const limit = { value: floor, of: 'parsing and hashing alone' };
  return [
    judged({ name, measured: middle('answered'), unit: ' ms', limit, ratio: { most: 2 } }),
    judged({
      name: `${name}, standstill of the event loop`,
      measured: middle('standstill'),
      unit: ' ms',
      goal: { most: 50 },
    }),
  ];
}

type Say = Parameters<Measure['run']>[1];

async function measureRegistrations(world: World, postgres: Postgres, recipients: number, say: Say): Promise<Row[]> {
  const terms = { executions: 1, firstExecution: inSeconds(LATER_SECONDS) };
  const employer = await world.employer(somePayees(1), terms);
  let id = 1n;
  const nextBody = async () => {
    const { schedule, list } = await world.promise(employer, somePayees(recipients), { ...terms, id: id++ });
    return Buffer.from(JSON.stringify({ schedulePda: schedule, recipients: recipientsToJson(list.recipients) }));
  };
  const text = (await nextBody()).toString('latin1');
  const [parsed = [], hashed = []] = await inTurn(
    RUNS,
    () => JSON.parse(text),
    () => hashAlone(recipients),
  );
  const rows: Row[] = [];
  const server = { DATABASE_URL: await postgres.createDatabase(), PAYLOAD_KEY: world.payloadKey };
  for (const [database, settings] of [
    ['PostgreSQL', server],
    ['the embedded database', {}],
  ] as const) {
    say(database);
    await world.startCoordinator({ ...SERVICE_DEFAULTS, ...settings, METRICS_PUBLIC: 'true' });
    const taken: Taken[] = [];
    // The first one is not counted: the service has just started.
    for (let run = 0; run <= RUNS; run++) taken.push(await register(world, await nextBody()));
    rows.push(...rowsOf(database, recipients, median(parsed) + median(hashed), taken.slice(1)));
    await world.stopCoordinator();
  }
  return rows;
}

export const registration: Measure = {
  name: 'registration',
  minutes: 2,
  run: (quick, say) =>
    onPostgres((postgres) => onLedgers((world) => measureRegistrations(world, postgres, quick ? 2_000 : 80_000, say))),
};
