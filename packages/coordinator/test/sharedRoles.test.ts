import { manualTime } from '@payouts/testing/manualTime';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createMetrics } from '../src/platform/metrics.ts';
import { runWhileLeader } from '../src/platform/runWhileLeader.ts';
import { ServerLocks } from '../src/store/db/advisoryLocks.ts';
import { silentLog } from './support/log.ts';
import { randomAddress } from './support/promised.ts';
import { usePostgres, useSharedPostgres } from './support/servers.ts';

const postgres = useSharedPostgres();
let databaseUrl: string;
beforeAll(async () => {
  databaseUrl = await postgres.createDatabase();
});

/** The processes' time, and an answer of a second later. */
const time = manualTime();
const later = async <T>(ask: () => T | Promise<T>): Promise<T> => {
  await time.advance(1_000);
  return ask();
};
const POLLED = { timeout: 30_000, interval: 10 };

const opened: ServerLocks[] = [];
const aProcess = (processName: string, url = databaseUrl) => {
  const locks = new ServerLocks({ databaseUrl: url, processName, time });
  opened.push(locks);
  return locks;
};
afterEach(async () => {
  await Promise.all(opened.splice(0).map((locks) => locks.close()));
});
const endSessions = (processName: string) =>
  postgres.rows(
    databaseUrl,
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and split_part(application_name, ' ', 2) = '${processName}'`,
  );

const randomRole = () => `liabilities ${randomAddress()}` as const;

describe("the processes' shared roles", () => {
  it('make one process the keeper of a token, for as long as it lives', async () => {
    const [one, two] = [aProcess('one'), aProcess('two')];
    const [a, b] = [randomRole(), randomRole()];
    expect(await one.holds(a)).toBe(true);
    expect(await two.holds(a)).toBe(false);
    expect(await two.holds(b)).toBe(true);
    expect(await one.holds(a)).toBe(true);
    expect(await one.holds(b)).toBe(false);
    opened.splice(opened.indexOf(one), 1);
    await one.close();
    await expect.poll(() => later(() => two.holds(a)), POLLED).toBe(true);
  });

  it('take roles from a process whose sessions were ended, and it notices', async () => {
    const [one, two] = [aProcess('one'), aProcess('two')];
    const role = randomRole();
    expect(await one.holds(role)).toBe(true);
    await endSessions('one');
    await expect.poll(() => later(() => two.holds(role)), POLLED).toBe(true);
    await expect.poll(() => later(() => one.holds(role)), POLLED).toBe(false);
    // It works on over a new session.
    expect(await one.holds('subscriber')).toBe(true);
  });

  it('are left to others by a process that drains', async () => {
    const [one, two] = [aProcess('one'), aProcess('two')];
    expect(await one.holds('subscriber')).toBe(true);
    expect(await two.holds('subscriber')).toBe(false);
    await one.release('subscriber');
    await expect.poll(() => later(() => two.holds('subscriber')), POLLED).toBe(true);
    // What one does not have, it does not take from anybody.
    await one.release('subscriber');
    expect(await one.holds('subscriber')).toBe(false);
    expect(await two.holds('subscriber')).toBe(true);
  });

  it('have their work done by one process, and by another when that one drains or loses the database', async () => {
    const working: string[] = [];
    const processes = ['one', 'two', 'three'].map((name) => {
      const draining = new AbortController();
      const locks = aProcess(name);
      const metrics = createMetrics();
      const input = { locks, role: 'subscriber', time, log: silentLog, metrics, signal: draining.signal } as const;
      const over = runWhileLeader(input, async (signal) => {
        working.push(name);
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        working.splice(working.indexOf(name), 1);
      });
      return { name, locks, draining, over };
    });
    const only = async (among: readonly string[]) => {
      await expect.poll(() => later(() => [...working]), POLLED).toEqual([expect.toBeOneOf([...among])]);
      return working[0] as string;
    };
    const first = await only(['one', 'two', 'three']);
    const of = (name: string) => processes.find((each) => each.name === name) as (typeof processes)[number];
    of(first).draining.abort();
    await of(first).over;
    const others = ['one', 'two', 'three'].filter((name) => name !== first);
    const second = await only(others);
    await of(second).locks.close();
    await only(others.filter((name) => name !== second));

    for (const { draining } of processes) draining.abort();
    await Promise.all(processes.map(({ over }) => over));
    expect(working).toEqual([]);
  });
});

describe('a session that stands still', () => {
  const own = usePostgres();
  /** Process ids of the server's sessions that a process has, in the order in which they began. */
  const sessionsOf = async (url: string, processName: string) => {
    const rows = await own.rows(
      url,
      `select pid from pg_stat_activity where application_name = 'payouts ${processName} roles' order by backend_start`,
    );
    return rows.map(({ pid }) => pid as number);
  };

  it('takes no role with it that a later one holds', { timeout: 60_000 }, async () => {
    const url = await own.createDatabase();
    const [one, two] = [aProcess('one', url), aProcess('two', url)];
    expect(await one.holds('subscriber')).toBe(true);
    const [first] = (await sessionsOf(url, 'one')) as [number];
    process.kill(first, 'SIGSTOP');
    // Several wait for its answer. What is asked as soon as one of them has failed goes over a new session, whose answer comes after the other's end.
    const waiting = Array.from({ length: 3 }, () => one.holds(randomRole()));
    const role = randomRole();
    const taken = Promise.race(waiting).catch(() => one.holds(role));
    await Promise.allSettled(waiting);
    expect(await taken).toBe(true);
    process.kill(first, 'SIGCONT');

    // Whatever becomes of the session that is used from now on: somebody can have the role.
    expect(await one.holds(randomRole())).toBe(true);
    await own.rows(url, `select pg_terminate_backend(${(await sessionsOf(url, 'one')).at(-1)})`);
    await expect.poll(() => later(() => two.holds(role)), POLLED).toBe(true);
  });
});
