import { loadPayloadKeys } from '../config/keys.ts';
import { ALONE, type Locks } from '../platform/leadership.ts';
import { type Lease, unshared } from '../platform/lease.ts';
import type { PayloadKeys } from '../store/crypto/payloadKeys.ts';
import { ServerLocks } from '../store/db/advisoryLocks.ts';
import { InstanceLease, newExecutor } from '../store/db/leases.ts';
import { type Database, openDatabase } from '../store/db/openDatabase.ts';
import { readyDatabase } from '../store/db/prepare.ts';
import type { Runtime } from './runtime.ts';

/** The database with its tables made, and this process's part among those that share it. */
export type Store = {
  readonly database: Database;
  readonly payloadKeys: PayloadKeys;
  /** This process's name in the database; no other process, before or after, has it. */
  readonly executor: string;
  readonly lease: Lease;
  readonly locks: Locks;
};

/** Opens the database and takes this instance's lease. Throws `MigrationsPending`, `DatabaseNewer`, `InstanceNameTaken`. */
export async function openStore({ settings, time, log, metrics, lifecycle }: Runtime): Promise<Store> {
  const payloadKeys = await loadPayloadKeys(settings, time);
  const { databaseUrl, instanceName, leaseSeconds } = settings;
  const executor = newExecutor(instanceName);
  const database = await openDatabase({
    ...settings,
    processName: executor,
    onError: (error) => log.warn({ error: error.name }, 'a database connection was lost'),
  });
  lifecycle.atEnd(database.close);
  const migrations = await readyDatabase(database, settings, time);
  log.info({ database: database.kind, migrations }, 'database ready');
  if (databaseUrl === undefined) return { database, payloadKeys, executor, lease: unshared, locks: ALONE };

  const leaseMs = leaseSeconds * 1_000;
  const lease = await InstanceLease.take({ databaseUrl, instanceName, executor, leaseMs, time, log, metrics });
  lifecycle.atEnd(() => lease.release());
  const locks = new ServerLocks({ databaseUrl, processName: executor, time });
  lifecycle.atEnd(() => locks.close());
  return { database, payloadKeys, executor, lease, locks };
}
