import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Time } from '@payouts/client';
import { freePorts } from '@payouts/localnet';
import pg from 'pg';
import { databasesOf } from './databases.ts';
import { postgresPrograms, systemPostgres } from './programs.ts';
import { mountSmallDisk } from './smallDisk.ts';
import { OwnServer } from './spawn.ts';

/** A PostgreSQL server of this process's own; it keeps its port and its data over `stop` and `start`. */
export type Postgres = Awaited<ReturnType<typeof startPostgres>>;

const OWNER = 'payouts';
/**
 * Speed for tests: what is committed survives the server, not a power cut. Commits must still wait for the operating system to have them
 * (synchronous_commit): a server that is ended as by a crash would lose the last half second.
 */
const SPEED = ['fsync=off', 'full_page_writes=off'];
/** For a small disk. */
const LITTLE_WAL = ['max_wal_size=96MB', 'min_wal_size=32MB'];
/** Shown in the server's command line: scripts/test-stall.mjs leaves such a server alone, which it would wake while a test has it frozen. */
const TO_BE_FROZEN = 'cluster_name=to-be-frozen';
/** All that the tests of a run hold at a time; each coordinator has some twenty. */
const CONNECTIONS = 'max_connections=400';

/** PostgreSQL refuses to run as root, so then it runs as the user whom every system has for who may do nothing. */
function serverUser(): { uid: number; gid: number } | Record<string, never> {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: `${url}/postgres`, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * Starts an empty PostgreSQL server on a free loopback port. `withClients`: one with pg_dump, pg_restore and psql beside it, which only
 * the system's has. `isDurable`: it has every commit written through, as in production. `isToBeFrozen`: `freeze` may be called.
 * `diskBytes`: its data lie on a file system of their own, in memory, that has so many bytes and can be filled. Throws `ServiceMissing`.
 */
export async function startPostgres(
  time: Time,
  options: {
    readonly withClients?: boolean;
    readonly isDurable?: boolean;
    readonly isToBeFrozen?: boolean;
    readonly diskBytes?: number;
  } = {},
) {
  let programs = options.withClients === true ? systemPostgres() : postgresPrograms();
  const server = new OwnServer('PostgreSQL', time, 'SIGQUIT');
  const { folder } = server;
  const data = join(folder, 'data');
  const disk = options.diskBytes === undefined ? undefined : await mountSmallDisk(folder, options.diskBytes);
  // On a disk of its own it runs as nobody in particular of its own name space.
  const user = disk === undefined ? serverUser() : {};
  const commandOf = (name: string, args: readonly string[]): [string, string[]] => {
    const [first, ...rest] = [...(disk?.within ?? []), join(programs, name), ...args];
    return [first as string, rest];
  };
  if (user.uid !== undefined) {
    chownSync(folder, user.uid, user.gid);
    chmodSync(folder, 0o700);
    // A clone under root's home is closed to others.
    if (spawnSync(join(programs, 'postgres'), ['--version'], { ...user, cwd: folder }).status !== 0) {
      cpSync(dirname(programs), join(folder, 'programs'), { recursive: true, verbatimSymlinks: true });
      programs = join(folder, 'programs', 'bin');
    }
  }
  const initdb = ['-D', data, '-U', OWNER, '--auth=trust', '--no-sync', '--encoding=UTF8', '--no-locale'];
  execFileSync(...commandOf('initdb', initdb), { ...user, cwd: folder, stdio: 'ignore' });
  const port = await freePorts(1);
  const url = `postgres://${OWNER}@127.0.0.1:${port}`;

  async function start(): Promise<void> {
    const settings = [
      `port=${port}`,
      'listen_addresses=127.0.0.1',
      `unix_socket_directories=${folder}`,
      CONNECTIONS,
      ...(options.isDurable === true ? [] : SPEED),
      ...(options.isToBeFrozen === true ? [TO_BE_FROZEN] : []),
      ...(disk === undefined ? [] : LITTLE_WAL),
    ];
    const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
    const how = { ...user, cwd: folder, stdio: 'ignore' } as const;
    await server.start(...commandOf('postgres', args), how, () => answers(url));
  }

  function signalAll(signal: NodeJS.Signals): void {
    const { pid: first } = server;
    // The server first, so that it makes no further backend; those are process groups of their own.
    process.kill(first, signal);
    const children = readFileSync(`/proc/${first}/task/${first}/children`, 'utf8');
    for (const pid of children.trim().split(' ')) {
      try {
        process.kill(Number(pid), signal);
      } catch (error) {
        // Gone meanwhile: its client had given up.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  }

  await start();
  return {
    ...databasesOf(url),
    /** Its address, `postgres://…`, without a database. */
    url,
    /** Folder of the server's programs. */
    programs,
    start,
    /** Ends the server: `fast` disconnects everybody, `immediate` is a crash. */
    stop: (mode: 'fast' | 'immediate' = 'fast') => server.stop(mode === 'fast' ? 'SIGINT' : 'SIGQUIT'),
    /** Stops the server's processes where they are: it takes connections and answers nothing. */
    freeze: () => {
      if (options.isToBeFrozen !== true) throw new Error('Start a server that is to be frozen with isToBeFrozen.');
      signalAll('SIGSTOP');
    },
    thaw: () => signalAll('SIGCONT'),
    /** Whether it answers. */
    answers: () => answers(url),
    /** Its own disk: `fill` leaves no room on it, `free` gives that back. */
    disk,
    /** Stops it and removes its data. */
    async remove() {
      await server.remove();
      disk?.end();
    },
  };
}
