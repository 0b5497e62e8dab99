// Many windows, one after the other: whether memory, open files and rows stay as they are.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Postgres } from '@payouts/testing/services';
import type { World } from '@payouts/testing/world';
import { promiseMany, registerAll } from '../parts/manySchedules.ts';
import { onLedgers, onPostgres } from '../parts/servers.ts';
import { SERVICE_DEFAULTS } from '../parts/settings.ts';
import { openFiles, residentMemory } from '../processes.ts';
import { judged, type Measure } from '../row.ts';
import { slope } from '../statistics.ts';

const LOOK_MS = 200;
const STILL_MS = 120_000;
/** Milliseconds until a collection of garbage is over that was asked for. */
const COLLECTED_MS = 500;
const SCHEDULES = 25;
/** Has a coordinator load what collects its garbage at a signal, so that what is left is what it holds. */
const COLLECTS = { NODE_OPTIONS: `--import=${new URL('../parts/collect.mjs', import.meta.url).href}` } as const;

/** Tables that keep something of every window, for a while or until they are deleted by command; all others must not grow. */
const HISTORY = [
  'public.execution_runs',
  'public.execution_attempts',
  'public.run_payments',
  'public.ledger_transactions',
  'public.settled_runs',
  'public.liability_recordings',
  'public.run_events',
];
/** Rows of all tables that must not grow. */
const OTHER_ROWS = `select sum((xpath('/row/c/text()', query_to_xml(
    format('select count(*) as c from %I.%I', table_schema, table_name), false, true, '')))[1]::text::integer) as rows
  from information_schema.tables
  where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')
    and table_schema || '.' || table_name <> all('{${HISTORY.join(',')}}')`;

/** What flat means: most growth in 1,000 windows, in MB or in pieces, of which some come and go. */
const FLAT = {
  memory: ["coordinator's memory", ' MB', 10],
  files: ["coordinator's open files", '', 50],
  ledgerFiles: ["ledgers' open files, subscriptions among them", '', 50],
  rows: ['rows of tables that keep no history', '', 50],
} as const;
type What = keyof typeof FLAT;

/** What a coordinator holds after so many settled windows. */
type Sample = Readonly<Record<What, number>> & { readonly windows: number };

async function takeSample(world: World, postgres: Postgres, databaseUrl: string, windows: number): Promise<Sample> {
  const { coordinatorPid, localnet } = world;
  process.kill(coordinatorPid, 'SIGUSR2');
  await sleep(COLLECTED_MS);
  return {
    windows,
    memory: residentMemory(coordinatorPid),
    files: openFiles(coordinatorPid),
    ledgerFiles: openFiles(localnet.basePid) + openFiles(localnet.layerPid as number),
    rows: Number((await postgres.rows(databaseUrl, OTHER_ROWS))[0]?.rows),
  };
}

/** Growth in 1,000 windows over the second half: the first one fills caches and pools. */
function growth(samples: readonly Sample[], of: What): number {
  const half = samples.slice(Math.floor(samples.length / 2));
  return slope(half.map((sample) => [sample.windows, sample[of]])) * 1_000;
}

/** Pays so many windows and takes a sample every few. */
async function paid(world: World, postgres: Postgres, windows: number, every: number): Promise<Sample[]> {
  const databaseUrl = await postgres.createDatabase();
  const promised = await promiseMany(world, {
    schedules: SCHEDULES,
    recipients: 10,
    windows: Math.ceil(windows / SCHEDULES),
    first: BigInt(Math.floor(Date.now() / 1_000)),
    interval: 1,
    batchTimeout: 600,
  });
  const keys = { DATABASE_URL: databaseUrl, PAYLOAD_KEY: world.payloadKey };
  await world.startCoordinator({ ...SERVICE_DEFAULTS, ...keys, ...COLLECTS });
  await registerAll(world.apiUrl, promised);
  const samples: Sample[] = [];
  let changedAt = Date.now();
  for (let done = 0; done < windows; await sleep(LOOK_MS)) {
    const [row] = await postgres.rows(
      databaseUrl,
      `select count(*) as settled from execution_runs where state = 'settled'`,
    );
    const now = Number(row?.settled);
    if (now > done) changedAt = Date.now();
    if (Date.now() - changedAt > STILL_MS) throw new Error(`No window was settled after ${done}.`);
    done = now;
    if (done >= samples.length * every || done >= windows) {
      samples.push(await takeSample(world, postgres, databaseUrl, done));
    }
  }
  return samples;
}

export const soak: Measure = {
  name: 'soak',
  minutes: 5,
  async run(quick) {
    const [windows, every] = quick ? [50, 5] : [2_000, 50];
    const samples = await onPostgres((postgres) => onLedgers((world) => paid(world, postgres, windows, every)));
    return (Object.keys(FLAT) as What[]).map((of) => {
      const [name, unit, most] = FLAT[of];
      return judged({
        name: `${name}, growth in 1,000 of ${windows.toLocaleString('en')} windows`,
        measured: growth(samples, of),
        unit,
        goal: { most },
      });
    });
  },
};
