/** A backup can't be made, read or restored; the message says why and what to do. */
export class BackupFailed extends Error {
  override readonly name = 'BackupFailed';
}

/** What stands in a database as of its backup. */
export type Facts = {
  /** Name of the last migration. */
  readonly migration: string;
  readonly schedules: number;
  readonly runs: number;
  /** Runs that are not over. */
  readonly openRuns: number;
  /** Names of the payload keys that its data keys are wrapped by; they say nothing about the keys. */
  readonly payloadKeys: readonly string[];
};

/** What a backup says of itself. */
export type Manifest = Facts & {
  readonly format: 1;
  /** An embedded database's data folder, or what pg_dump wrote of a server's. */
  readonly kind: 'embedded' | 'server';
  /** PostgreSQL's version as a number, such as 170002. */
  readonly postgres: number;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly bytes: number;
  readonly sha256: string;
};

/** Asks a database of any version for its facts; one row. */
export const FACTS = `select
  (select max(name) from kysely_migration) as migration,
  (select count(*)::int from schedules) as schedules,
  (select count(*)::int from execution_runs) as runs,
  (select count(*)::int from execution_runs where finished_at is null) as "openRuns",
  (select coalesce(array_agg(key_id order by key_id), '{}') from (
    select key_id from recipient_lists union select key_id from liability_trees union select key_id from service_keys
  ) as keys) as "payloadKeys",
  current_setting('server_version_num')::int as postgres`;

/** One line about a backup for people. */
export function manifestText({ kind, schedules, runs, openRuns, migration, createdAt }: Manifest): string {
  const database = kind === 'embedded' ? 'embedded database' : 'database of a PostgreSQL server';
  return `${database}, schedules ${schedules}, runs ${runs} (not over: ${openRuns}), ${migration}, of ${createdAt}`;
}
