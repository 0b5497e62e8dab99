import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { BackupFailed, FACTS, type Manifest } from '../store/db/manifest.ts';
import { connectionConfig } from '../store/db/serverPool.ts';
import type { Dump } from './file.ts';

const run = promisify(execFile);

/** Where Debian keeps the programs of each PostgreSQL version. */
const DEBIAN = '/usr/lib/postgresql';
const PER_MAJOR = 10_000;

const majorOf = (version: number): number => Math.floor(version / PER_MAJOR);

/** Folders of PostgreSQL's programs, newest first; the path comes before them. */
function debianFolders(): string[] {
  try {
    const versions = readdirSync(DEBIAN).sort((one, other) => Number(other) - Number(one));
    return versions.map((version) => join(DEBIAN, version, 'bin'));
  } catch {
    // Not Debian's layout: the path decides.
    return [];
  }
}

const folders = (): string[] => [...(process.env.PATH ?? '').split(delimiter), ...debianFolders()];

/** The first program of these folders that is of this major version or a newer one; undefined if there is none. */
export async function programOf(
  name: 'pg_dump' | 'pg_restore',
  atLeast: number,
  among: readonly string[] = folders(),
): Promise<string | undefined> {
  for (const program of among.map((folder) => join(folder, name))) {
    const { stdout } = await run(program, ['--version']).catch(() => ({ stdout: '' }));
    if (Number(/ (\d+)/.exec(stdout)?.[1]) >= atLeast) return program;
  }
  return undefined;
}

/** The address for a command line, which everybody on the machine can read, and the password for its environment. */
function addressed(databaseUrl: string): { readonly dbname: string; readonly env: NodeJS.ProcessEnv } {
  const url = new URL(databaseUrl);
  const password = decodeURIComponent(url.password);
  url.password = '';
  return { dbname: `--dbname=${url}`, env: { ...process.env, ...(password !== '' && { PGPASSWORD: password }) } };
}

async function called(program: string, args: readonly string[], databaseUrl: string): Promise<void> {
  const { dbname, env } = addressed(databaseUrl);
  try {
    await run(program, [...args, dbname], { env, maxBuffer: 16 * 1_024 * 1_024 });
  } catch (error) {
    const said = String((error as { stderr?: string }).stderr ?? '')
      .trim()
      .split('\n')[0];
    throw new BackupFailed(`${program.split('/').at(-1)} failed: ${said || 'it gave no reason'}`);
  }
}

/** Holds a snapshot of a server's database while `use` has what to write of it: manifest and dump are of the same moment. */
export async function dumpingServer<T>(databaseUrl: string, use: (dump: Dump) => Promise<T>): Promise<T> {
  const client = new pg.Client(connectionConfig(databaseUrl, 'payouts backup'));
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('begin isolation level repeatable read, read only');
    const facts = (await client.query<Dump['facts']>(FACTS)).rows[0] as Dump['facts'];
    const { rows } = await client.query<{ snapshot: string }>('select pg_export_snapshot() as snapshot');
    const major = majorOf(facts.postgres);
    const program = await programOf('pg_dump', major);
    if (program === undefined) {
      throw new BackupFailed(
        `pg_dump ${major} or newer is not here, which the server's version takes: install it (postgresql-client-${major}), or run ` +
          'where it is: pg_dump --format=custom --no-owner --file=payouts.dump "$DATABASE_URL"',
      );
    }
    const options = ['--format=custom', '--no-owner', '--no-privileges', `--snapshot=${rows[0]?.snapshot}`];
    const write = (file: string) => called(program, [...options, `--file=${file}`], databaseUrl);
    return await use({ kind: 'server', facts, write });
  } finally {
    await client.end().catch(() => {});
  }
}

/** Fills an empty database of a server, all of it or nothing. Throws `BackupFailed` if it has anything in it. */
export async function restoreServer(databaseUrl: string, dump: string, { postgres }: Manifest): Promise<void> {
  const client = new pg.Client(connectionConfig(databaseUrl, 'payouts restore'));
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query<{ tables: number }>(
      `select count(*)::int as tables from pg_class join pg_namespace on pg_namespace.oid = relnamespace
        where relkind in ('r', 'p', 'v', 'm', 'S') and nspname <> 'information_schema' and nspname !~ '^pg_'`,
    );
    if (rows[0]?.tables !== 0) {
      throw new BackupFailed(
        'The database of DATABASE_URL is not empty, and nothing is restored over it: create an empty one (createdb) and name that.',
      );
    }
  } finally {
    await client.end().catch(() => {});
  }
  const major = majorOf(postgres);
  const program = await programOf('pg_restore', major);
  if (program === undefined) {
    throw new BackupFailed(
      `pg_restore ${major} or newer is not here: install it (postgresql-client-${major}), or run where it is: tar -xf BACKUP ` +
        'database && pg_restore --exit-on-error --no-owner --single-transaction --dbname="$DATABASE_URL" database',
    );
  }
  const options = ['--exit-on-error', '--no-owner', '--no-privileges', '--single-transaction', dump];
  await called(program, options, databaseUrl);
}

/** Whether pg_restore can read a dump; undefined if it is not here. */
export async function isReadable(dump: string, { postgres }: Manifest): Promise<boolean | undefined> {
  const program = await programOf('pg_restore', majorOf(postgres));
  if (program === undefined) return undefined;
  return run(program, ['--list', dump], { maxBuffer: 16 * 1_024 * 1_024 }).then(
    () => true,
    () => false,
  );
}
