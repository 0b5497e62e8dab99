import { systemTime } from '@payouts/client';
import { type Postgres, startPostgres } from '@payouts/testing/services';
import { somePayees } from '@payouts/testing/wallets';
import { type Employer, everySeconds, inSeconds, until, World } from '@payouts/testing/world';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';

const SCHEDULES = 3;
const RECIPIENTS = 150;
const WINDOWS = 3;
const OUTAGE_MS = 5_000;
/** No answer may take longer, whatever the database does, on a machine that has nothing else to do. */
const LONGEST_ANSWER_MS = 5_000;
/** By then health has noticed, on the same machine; what it says may be half a second old. */
const HEALTH_WITHIN_MS = 2_000;
/** For which all may stand still besides, and of how many of the usual answers a change takes the time. */
const STALL_MS = 3_000;
const BUSY = 5;

type Answer = { readonly path: string; readonly status: number; readonly tookMs: number; readonly at: number };

let world: World;
let postgres: Postgres;
let load: Load | undefined;

/** Is answered without the database: it shows for how long machine and coordinator stood still. */
const INDEPENDENT = '/api/openapi.json';

/** Asks the API for everything again and again, and keeps what it answered. */
class Load {
  readonly answers: Answer[] = [];
  readonly #asking: Promise<unknown>;
  #isOver = false;

  constructor(url: string, paths: readonly string[]) {
    this.#asking = Promise.all(paths.map((path) => this.#ask(url, path)));
  }

  async #ask(url: string, path: string): Promise<void> {
    while (!this.#isOver) {
      const at = performance.now();
      const response = await fetch(url + path, { signal: AbortSignal.timeout(30_000) }).catch(() => undefined);
      await response?.arrayBuffer().catch(() => {});
      this.answers.push({ path, status: response?.status ?? 0, tookMs: performance.now() - at, at });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Milliseconds that the slowest of these answers took, from `since` on. */
  slowestMs(paths: readonly string[], since = 0): number {
    return Math.max(
      0,
      ...this.answers.filter(({ path, at }) => paths.includes(path) && at >= since).map(({ tookMs }) => tookMs),
    );
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#asking;
  }
}

beforeAll(async () => {
  [world, postgres] = await Promise.all([World.start(), startPostgres(systemTime, { isToBeFrozen: true })]);
});
afterEach(() => load?.stop());
afterAll(() => postgres?.thaw());

async function employers(): Promise<Employer[]> {
  const made: Employer[] = [];
  for (let place = 0; place < SCHEDULES; place++) {
    const terms = { executions: WINDOWS, calendar: everySeconds(2), firstExecution: inSeconds(4), batchTimeout: 600 };
    made.push(await world.employer(await somePayees(RECIPIENTS, 7n), terms));
  }
  return made;
}

const health = async () => {
  const response = await fetch(`${world.apiUrl}/api/health`);
  return { code: response.status, ...((await response.json()) as { database: string }) };
};

/** Waits for the first answer of health with this status and returns after how many milliseconds it came. */
async function healthBecomes(status: number): Promise<number> {
  const began = performance.now();
  await until(async () => (await health()).code === status, `health ${status}`, 60_000, 10);
  return performance.now() - began;
}

it.each<[string, () => Promise<void> | void, () => Promise<void> | void]>([
  ['stopped as by a crash and started again', () => postgres.stop('immediate'), () => postgres.start()],
  ['frozen and goes on', () => postgres.freeze(), () => postgres.thaw()],
])('windows are paid exactly once and no answer hangs when PostgreSQL is %s under load', async (_, fail, remedy) => {
  await world.startCoordinator({
    DATABASE_URL: await postgres.createDatabase(),
    PAYLOAD_KEY: world.payloadKey,
  });
  const paid = await employers();
  for (const employer of paid) await world.register(employer);
  const [first] = paid as [Employer];
  const schedule = `/api/schedules/${first.schedule}`;
  const paths = ['/api/health', schedule, `${schedule}/executions`, schedule];
  const asking = new Load(world.apiUrl, [...paths, INDEPENDENT]);
  load = asking;
  await world.settled(first, 0n);
  await healthBecomes(200);
  expect(await health()).toMatchObject({ database: 'connected' });

  // What this machine makes of it with a database, while windows are paid, and what it may stand still besides.
  const usualMs = BUSY * asking.slowestMs(paths);
  await fail();
  const failedAt = performance.now();
  const allowedMs = () => STALL_MS + usualMs + asking.slowestMs([INDEPENDENT], failedAt);
  // It is gone until this is over: whatever waits for it waits longer.
  expect(await healthBecomes(503)).toBeLessThan(HEALTH_WITHIN_MS + allowedMs());
  const noticedAt = performance.now();
  expect(await health()).toMatchObject({ code: 503, database: 'disconnected' });
  await new Promise((resolve) => setTimeout(resolve, OUTAGE_MS));
  const answersOf = (path: string) => asking.answers.filter((one) => one.path === path && one.at > noticedAt);
  await until(async () => paths.every((path) => answersOf(path).length >= 5), 'answers without it');
  const mendedAt = performance.now();
  await remedy();
  await healthBecomes(200);

  for (const employer of paid) {
    for (let window = 0n; window < WINDOWS; window += 1n) await world.settledInFull(employer, window);
  }
  await world.checkPaid(WINDOWS, ...paid);
  await asking.stop();

  expect(asking.slowestMs(paths)).toBeLessThan(LONGEST_ANSWER_MS + allowedMs());
  expect(new Set(asking.answers.map(({ status }) => status))).toEqual(new Set([200, 503]));
  // While it was gone, nobody heard anything else than that; begun a moment before or after, an answer may be either.
  const goneFor = (path: string) => (path === '/api/health' ? noticedAt : failedAt + 100);
  const during = asking.answers.filter(
    ({ path, at, tookMs }) => at > goneFor(path) && at + tookMs < mendedAt && path !== INDEPENDENT,
  );
  const others = during.filter(({ status }) => status !== 503);
  expect(others.map(({ path, at }) => `${path} ${Math.round(at - failedAt)} ms after`)).toEqual([]);
  await world.stopCoordinator();
});
