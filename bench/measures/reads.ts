// GET /api/schedules/:schedulePda at a fixed rate, beside a bare route with the same query, asked by a third process.
import { type ChildProcess, fork } from 'node:child_process';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addressFromBytes, systemTime } from '@payouts/client';
import { startCoordinator } from '@payouts/sandbox';
import { startPostgres } from '@payouts/testing/services';
import { openDatabase } from '../../packages/coordinator/dist/store/db/openDatabase.js';
import { prepareDatabase } from '../../packages/coordinator/dist/store/db/prepare.js';
import { registerMany } from '../../packages/coordinator/test/support/manySchedules.ts';
import { judged, type Measure } from '../row.ts';
import { quantile } from '../statistics.ts';

/** Schedules that are asked for, one after the other. */
const ASKED = 1_000;
const DAY_SECONDS = 86_400;
const RATE = 500;
const WARM_UP_SECONDS = 4;

/** Starts a file of `parts` as a process of its own. */
const childOf = (name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess =>
  fork(fileURLToPath(new URL(`../parts/${name}`, import.meta.url)), args, { env: { ...process.env, ...env } });

/** Registers schedules in an empty database; paths of those that are asked for. */
async function fill(databaseUrl: string, schedules: number): Promise<string[]> {
  const database = await openDatabase({ databaseUrl, dataDir: 'unused', onError: () => {} });
  await prepareDatabase(database, databaseUrl, systemTime);
  // Seen tomorrow and due later still, so that no poll has anything to do.
  await registerMany(database.query, { count: schedules, due: 0, now: Math.floor(Date.now() / 1_000) + DAY_SECONDS });
  // What the API takes for a schedule must be an address.
  const addresses = Array.from({ length: ASKED }, (_, place) =>
    addressFromBytes(createHash('sha256').update(String(place)).digest()),
  );
  await database.pool.query(
    `with taken as (select address, row_number() over () as place from schedules limit $1::int)
      update schedules set address = ($2::text[])[taken.place::int] from taken where schedules.address = taken.address`,
    [ASKED, addresses],
  );
  await database.close();
  return addresses.map((address) => `/api/schedules/${address}`);
}

/** The service's settings. No ledger is there: it only reads its database for these requests. */
function settingsIn(folder: string, databaseUrl: string): Record<string, string> {
  const [payloadKey, authority] = [join(folder, 'payload.key'), join(folder, 'authority.json')];
  writeFileSync(payloadKey, 'ab'.repeat(32), { mode: 0o600 });
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const last = (der: Buffer) => der.subarray(-32);
  const bytes = [
    ...last(privateKey.export({ format: 'der', type: 'pkcs8' })),
    ...last(publicKey.export({ format: 'der', type: 'spki' })),
  ];
  writeFileSync(authority, JSON.stringify(bytes), { mode: 0o600 });
  return {
    PORT: '0',
    DATABASE_URL: databaseUrl,
    PAYLOAD_KEY: payloadKey,
    EXECUTION_AUTHORITY_KEY: authority,
    BASE_RPC_URL: 'http://127.0.0.1:9',
    LAYER_RPC_URL: 'http://127.0.0.1:11',
    READS_PER_MINUTE: '1000000',
    WITHDRAWAL_INTERVAL_MS: '60000',
  };
}

/** Asks a server for a while, from a process of its own; milliseconds of each answer. */
async function ask(url: string, seconds: number, paths: readonly string[]): Promise<number[]> {
  const child = childOf('load.ts', [url, String(RATE), String(seconds), ...paths]);
  const [{ took, statuses }] = (await once(child, 'message')) as [{ took: number[]; statuses: [number, number][] }];
  if (statuses.some(([status]) => status !== 200)) throw new Error(`${url} answered ${JSON.stringify(statuses)}`);
  return took;
}

export const reads: Measure = {
  name: 'reads',
  minutes: 1.5,
  async run(quick) {
    const [schedules, slices, seconds] = quick ? [5_000, 2, 1] : [100_000, 10, 3];
    const folder = mkdtempSync(join(tmpdir(), 'payouts-bench-'));
    const postgres = await startPostgres(systemTime, { isDurable: true });
    const databaseUrl = await postgres.createDatabase();
    const paths = await fill(databaseUrl, schedules);
    const service = await startCoordinator(settingsIn(folder, databaseUrl), join(folder, 'service.log'));
    const bare = childOf('bareRoute.ts', [], { DATABASE_URL: databaseUrl });
    try {
      const [{ url }] = (await once(bare, 'message')) as [{ url: string }];
      const [limits, ours] = [[] as number[], [] as number[]];
      const servers = [
        [url, limits],
        [service.url, ours],
      ] as const;
      for (const [server] of servers) await ask(server, WARM_UP_SECONDS, paths);
      // In turn, so that whatever else the machine does meets both.
      for (let slice = 0; slice < slices; slice++) {
        for (const [server, took] of servers) took.push(...(await ask(server, seconds, paths)));
      }
      return [0.5, 0.99].map((part) =>
        judged({
          name: `reading a schedule of ${schedules.toLocaleString('en')}, ${RATE} a second, p${part * 100}`,
          measured: quantile(ours, part),
          unit: ' ms',
          limit: { value: quantile(limits, part), of: 'a bare route with the same query' },
          ratio: { most: 1.5 },
        }),
      );
    } finally {
      bare.kill();
      await service.stop();
      await postgres.remove();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
