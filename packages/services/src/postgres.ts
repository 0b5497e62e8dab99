import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@payouts/localnet';
import pg from 'pg';
import { postgresPrograms } from './programs.ts';
import { spawnServer } from './spawn.ts';

/** A PostgreSQL server of this process's own; it keeps its port and its data over `stop` and `start`. */
export interface Postgres {
  /** Creates an empty database and returns its address, `postgres://…`. */
  createDatabase(): Promise<string>;
  /** Ends the server: `fast` disconnects everybody, `immediate` is a crash. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
  start(): Promise<void>;
  /** Stops the server's processes where they are: it takes connections and answers nothing. */
  freeze(): void;
  thaw(): void;
  /** The rows that a query of a database finds. */
  rows(databaseUrl: string, query: string): Promise<Record<string, unknown>[]>;
  /** Folder of the server's programs, such as pg_dump. */
  readonly programs: string;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

const OWNER = 'payouts';
/** Speed for tests: what is committed survives the server, not a power cut. */
const SPEED = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];
const READY_WITHIN_MS = 20_000;

/** PostgreSQL refuses to run as root, so then it runs as the user that Debian's package brings. */
function serverUser(): { uid: number; gid: number } | Record<string, never> {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** Starts an empty PostgreSQL server on a free loopback port. Throws `ServiceMissing`. */
export async function startPostgres(): Promise<Postgres> {
  const programs = postgresPrograms();
  const user = serverUser();
  const folder = mkdtempSync(join(tmpdir(), 'payouts-postgres-'));
  const data = join(folder, 'data');
  if (user.uid !== undefined) {
    chownSync(folder, user.uid, user.gid);
    chmodSync(folder, 0o700);
  }
  const initdb = ['-D', data, '-U', OWNER, '--auth=trust', '--no-sync', '--encoding=UTF8', '--no-locale'];
  execFileSync(join(programs, 'initdb'), initdb, { ...user, cwd: folder, stdio: 'ignore' });
  const port = await freePort();
  const address = (database: string) => `postgres://${OWNER}@127.0.0.1:${port}/${database}`;
  let server: ChildProcess | undefined;
  let databases = 0;

  async function isReady(): Promise<boolean> {
    const client = new pg.Client({ connectionString: address('postgres'), connectionTimeoutMillis: 2_000 });
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

  async function start(): Promise<void> {
    const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${folder}`, ...SPEED];
    const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
    const started = spawnServer(join(programs, 'postgres'), args, 'QUIT', { ...user, cwd: folder, stdio: 'ignore' });
    server = started;
    const deadline = Date.now() + READY_WITHIN_MS;
    while (!(await isReady())) {
      if (started.exitCode !== null || Date.now() > deadline) throw new Error('PostgreSQL did not start.');
      await sleep(20);
    }
  }

  function signalAll(signal: NodeJS.Signals): void {
    if (server?.pid === undefined) throw new Error('PostgreSQL is not running.');
    // The server first, so that it makes no further backend; those are process groups of their own.
    process.kill(server.pid, signal);
    const children = execFileSync('pgrep', ['-P', String(server.pid)], { encoding: 'utf8' })
      .trim()
      .split('\n');
    for (const pid of children) {
      try {
        process.kill(Number(pid), signal);
      } catch (error) {
        // Gone meanwhile: its client had given up.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  }

  async function stop(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    const running = server;
    server = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const gone = once(running, 'exit');
    running.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await gone;
  }

  const removeAtExit = () => {
    server?.kill('SIGQUIT');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', removeAtExit);
  await start();
  return {
    programs,
    start,
    stop,
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    async rows(databaseUrl, query) {
      const client = new pg.Client({ connectionString: databaseUrl });
      await client.connect();
      try {
        return (await client.query<Record<string, unknown>>(query)).rows;
      } finally {
        await client.end();
      }
    },
    async createDatabase() {
      databases += 1;
      const name = `payouts_${databases}`;
      const client = new pg.Client({ connectionString: address('postgres') });
      await client.connect();
      try {
        await client.query(`create database ${name}`);
      } finally {
        await client.end();
      }
      return address(name);
    },
    async remove() {
      await stop('immediate');
      process.off('exit', removeAtExit);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
