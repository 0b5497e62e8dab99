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

/** Schedules that are asked for, one after the other. */
const ASKED = 1_000;
const DAY_SECONDS = 86_400;

const file = (name: string) => fileURLToPath(new URL(`./${name}`, import.meta.url));

/** Starts a file of this folder as a process of its own. */
export const childOf = (
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProcess =>
  fork(file(name), args, { env: { ...process.env, ...env }, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });

/** A server that answers reads, and its process. */
export type Server = { readonly name: string; readonly url: string; readonly pid: number };

/** The service and a bare route over the same database, and the paths to ask them for. */
export type Servers = {
  readonly bare: Server;
  readonly service: Server;
  readonly paths: readonly string[];
  stop(): Promise<void>;
};

/** Registered schedules in an empty database; addresses of those that are asked for. */
async function fill(databaseUrl: string, schedules: number): Promise<string[]> {
  const database = await openDatabase({ databaseUrl, dataDir: 'unused', onError: () => {} });
  await prepareDatabase(database, databaseUrl, systemTime);
  // Seen tomorrow and due later still, so that no poll has anything to do.
  await registerMany(database.query, { count: schedules, due: 0, now: Math.floor(Date.now() / 1_000) + DAY_SECONDS });
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
  return addresses;
}

function writeKeys(folder: string): { payloadKey: string; authority: string } {
  const [payloadKey, authority] = [join(folder, 'payload.key'), join(folder, 'authority.json')];
  writeFileSync(payloadKey, 'ab'.repeat(32));
  const pair = generateKeyPairSync('ed25519');
  const bytes = [
    ...pair.privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32),
    ...pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32),
  ];
  writeFileSync(authority, JSON.stringify(bytes));
  return { payloadKey, authority };
}

/** Starts both over so many registered schedules. No ledger is there: the service only reads its database for these. */
export async function startServers(schedules: number): Promise<Servers> {
  const folder = mkdtempSync(join(tmpdir(), 'payouts-bench-'));
  const postgres = await startPostgres(systemTime);
  const databaseUrl = await postgres.createDatabase();
  const addresses = await fill(databaseUrl, schedules);
  const { payloadKey, authority } = writeKeys(folder);
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
  const [{ url }] = (await once(bare, 'message')) as [{ url: string }];
  return {
    bare: { name: 'bare route, same query', url, pid: bare.pid ?? 0 },
    service: { name: 'the service', url: service.url, pid: service.process.pid ?? 0 },
    paths: addresses.map((address) => `/api/schedules/${address}`),
    async stop() {
      bare.kill();
      await service.stop();
      await postgres.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
