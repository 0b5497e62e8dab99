/**
 * How long GET /api/schedules/:schedulePda takes at 500 requests a second on loopback, with 100,000 registered schedules on a real
 * PostgreSQL server: the real service process beside a bare fastify route with the same query, in the same run. The load comes from a
 * third process. No ledger is there: the service only reads its database for this.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startCoordinator } from '@payouts/cli';
import { addressFromBytes } from '@payouts/client';
import { startPostgres } from '@payouts/services';
import { openDatabase } from '../packages/coordinator/src/store/openDatabase.ts';
import { prepareDatabase } from '../packages/coordinator/src/store/prepare.ts';
import { registerMany } from '../packages/coordinator/test/support/manySchedules.ts';

const SCHEDULES = 100_000;
const RATE = '500';
/** Both servers are asked in turn in short slices, so that whatever else the machine does meets both. */
const SLICE_SECONDS = '3';
const WARM_UP_SECONDS = '4';
const SLICES = 10;
/** Schedules that are asked for, one after the other. */
const ASKED = 1_000;
const DAY_SECONDS = 86_400;

/** Processor time of a process so far, in milliseconds; Linux only, whose clock ticks are 10 ms. */
function processorTime(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Milliseconds of each answer, and of processor time spent on them. */
type Measured = { readonly took: number[]; worked: number };

const file = (name: string) => fileURLToPath(new URL(`./reads/${name}`, import.meta.url));
const childOf = (name: string, args: string[], env: Record<string, string> = {}): ChildProcess =>
  fork(file(name), args, { env: { ...process.env, ...env }, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });

/** Asks for a while and adds what that took. */
async function measure(server: { url: string; pid: number }, seconds: string, to: Measured): Promise<void> {
  const before = processorTime(server.pid);
  const child = childOf('load.ts', [server.url, RATE, seconds, ...paths]);
  const [said] = (await once(child, 'message')) as [{ took: number[]; statuses: [number, number][] }];
  if (said.statuses.some(([status]) => status !== 200)) throw new Error(`answered ${JSON.stringify(said.statuses)}`);
  to.took.push(...said.took);
  to.worked += processorTime(server.pid) - before;
}

function rowOf(server: string, { took, worked }: Measured) {
  const sorted = took.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] as number;
  const late = sorted.filter((milliseconds) => milliseconds > 5).length / sorted.length;
  return {
    server,
    requests: took.length,
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    late,
    processor: worked / took.length,
  };
}

const folder = mkdtempSync(join(tmpdir(), 'payouts-bench-'));
const postgres = await startPostgres();
const databaseUrl = await postgres.createDatabase();
const database = await openDatabase({ databaseUrl, dataDir: 'unused', onError: () => {} });
await prepareDatabase(database, databaseUrl);
// Seen tomorrow and due later still, so that no poll has anything to do.
await registerMany(database.query, { count: SCHEDULES, due: 0, now: Math.floor(Date.now() / 1_000) + DAY_SECONDS });
// What the API takes for a schedule must be an address.
const addresses: string[] = Array.from({ length: ASKED }, (_, place) =>
  addressFromBytes(createHash('sha256').update(String(place)).digest()),
);
await database.pool.query(
  `with taken as (select address, row_number() over () as place from schedules limit $1::int)
    update schedules set address = ($2::text[])[taken.place::int] from taken where schedules.address = taken.address`,
  [ASKED, addresses],
);
await database.close();

const payloadKey = join(folder, 'payload.key');
const authority = join(folder, 'authority.json');
writeFileSync(payloadKey, 'ab'.repeat(32));
const pair = generateKeyPairSync('ed25519');
const bytes = [
  ...pair.privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32),
  ...pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32),
];
writeFileSync(authority, JSON.stringify(bytes));
const service = await startCoordinator(
  {
    PORT: '0',
    DATABASE_URL: databaseUrl,
    PAYLOAD_KEY: payloadKey,
    EXECUTION_AUTHORITY_KEY: authority,
    BASE_RPC_URL: 'http://127.0.0.1:9',
    LAYER_RPC_URL: 'http://127.0.0.1:11',
    READS_PER_MINUTE: '1000000',
    WITHDRAWAL_INTERVAL_MS: '60000',
  },
  join(folder, 'service.log'),
);
const bare = childOf('bare.ts', [], { DATABASE_URL: databaseUrl });
const [{ url: bareUrl }] = (await once(bare, 'message')) as [{ url: string }];
const paths = addresses.map((address) => `/api/schedules/${address}`);

try {
  const servers = [
    { name: 'bare route, same query', url: bareUrl, pid: bare.pid ?? 0 },
    { name: 'the service', url: service.url, pid: service.process.pid ?? 0 },
  ];
  const measured = servers.map((server) => ({ server, sum: { took: [], worked: 0 } as Measured }));
  for (const server of servers) await measure(server, WARM_UP_SECONDS, { took: [], worked: 0 });
  for (let slice = 0; slice < SLICES; slice++) {
    for (const { server, sum } of measured) await measure(server, SLICE_SECONDS, sum);
  }
  const rows = measured.map(({ server, sum }) => rowOf(server.name, sum));
  const [limit, ours] = rows as [(typeof rows)[number], (typeof rows)[number]];
  console.log(
    `${SCHEDULES.toLocaleString('en')} registered schedules, ${RATE} requests a second; goal: p99 under 5 ms`,
  );
  console.table(
    rows.map(({ server, requests, p50, p95, p99, late, processor }) => ({
      server,
      requests,
      'p50 ms': p50.toFixed(2),
      'p95 ms': p95.toFixed(2),
      'p99 ms': p99.toFixed(2),
      'over 5 ms': `${(late * 100).toFixed(2)} %`,
      'processor ms a request': processor.toFixed(2),
    })),
  );
  const times = (of: 'p50' | 'p95' | 'p99') => (ours[of] / limit[of]).toFixed(2);
  console.log(`the service beside the bare route: p50 ${times('p50')}, p95 ${times('p95')}, p99 ${times('p99')} times`);
} finally {
  bare.kill();
  await service.stop();
  await postgres.remove();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
