// Small windows that fall due in the same second, before one coordinator or several.
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fetchAllSchedule, type Ledgers } from '@payouts/client';
import { CLUSTER_HABITS, type ClusterHabits } from '@payouts/localnet';
import { type CoordinatorProcess, startCoordinator } from '@payouts/sandbox';
import { metricIn, readMetrics } from '@payouts/testing/metrics';
import { Random } from '@payouts/testing/random';
import type { World } from '@payouts/testing/world';
import { measureProcessors } from '../processes.ts';
import { type CountingServer, counting } from './counting.ts';
import { type Clock, comeDue } from './due.ts';
import { type ManySchedules, type Promised, promiseMany, registerAll } from './manySchedules.ts';
import { onLedgers, onPostgres } from './servers.ts';
import { SERVICE_DEFAULTS } from './settings.ts';

const INTERVAL = 86_400;
/** A cluster's latency. */
export const CLUSTER = { landMs: CLUSTER_HABITS.landMs, finalMs: CLUSTER_HABITS.finalMs } as const;
const LOOK_MS = 500;
const LONGEST_MS = 1_800_000;
/** Milliseconds between two deaths of a coordinator, at least and at most. */
const KILLED_AFTER = { least: 5_000, most: 20_000 } as const;
/** Accounts that are asked for at a time. */
const ACCOUNTS = 100;

/** What windows that were due together took; what is counted for each window is in the middle of all that was done meanwhile. */
export type Together = {
  readonly processes: number;
  /** Windows a second, from the instant at which they were due to the last one's end. */
  readonly rate: number;
  /** Milliseconds of processor time a window, by part. */
  readonly processorMs: Readonly<Record<'coordinators' | 'PostgreSQL' | 'base' | 'layer', number>>;
  readonly statements: number;
  readonly ledgerCalls: number;
  /** The statements that the server was busiest with, as lines: times a window, milliseconds a window, text. */
  readonly busiest: readonly string[];
};

/** Of those that answer: one that was just killed has taken its count with it. */
const ledgerCalls = async (running: readonly CoordinatorProcess[]): Promise<number> => {
  const counts = await Promise.all(
    running.map(async ({ url }) => metricIn(await readMetrics(url).catch(() => ''), 'service_ledger_calls_total') || 0),
  );
  return counts.reduce((sum, count) => sum + count, 0);
};

export type TogetherInput = Pick<ManySchedules, 'schedules' | 'recipients' | 'tokens'> & {
  /** Coordinators that pay each window, one window after the other; where the number stays the same, so do they. */
  readonly processes: readonly number[];
  /** Of the base ledger, once everything is registered. */
  readonly habits?: Partial<ClusterHabits>;
  /** One of the coordinators is killed every few seconds, drawn by this seed, and started again at once. */
  readonly killedBySeed?: number;
};

/** Ledgers on which windows are paid, and what their coordinators need. */
export type BenchLedgers = {
  readonly folder: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly payloadKey: string;
  readonly base: Ledgers['base'];
  readonly clock: Clock;
  readonly pids: Readonly<Record<'base' | 'layer', readonly number[]>>;
  promise(many: ManySchedules): Promise<readonly Promised[]>;
  /** Once everything is registered. */
  begin(): Promise<unknown>;
};

type Surroundings = Pick<BenchLedgers, 'folder' | 'settings' | 'payloadKey'>;

function startOne(around: Surroundings, databaseUrl: string, number: number): Promise<CoordinatorProcess> {
  const keys = { DATABASE_URL: databaseUrl, PAYLOAD_KEY: around.payloadKey };
  const common = { ...around.settings, ...SERVICE_DEFAULTS, ...keys, METRICS_PUBLIC: 'true' };
  return startCoordinator(
    { ...common, INSTANCE_NAME: `bench-${number}` },
    join(around.folder, `coordinator-${number}.log`),
  );
}

/** Coordinators on one database. */
export const startMany = (around: Surroundings, databaseUrl: string, count: number): Promise<CoordinatorProcess[]> =>
  Promise.all(Array.from({ length: count }, (_, number) => startOne(around, databaseUrl, number)));

/** Kills one of the coordinators after another and puts a new process of its name in its place, until the signal. */
async function killInTurn(
  around: Surroundings,
  { running, databaseUrl }: Running,
  seed: number,
  signal: AbortSignal,
): Promise<void> {
  const random = new Random(seed);
  for (;;) {
    const waits = sleep(random.between(KILLED_AFTER.least, KILLED_AFTER.most), true, { signal });
    if (!(await waits.catch(() => false))) return;
    const victim = random.below(running.length);
    const { process } = running[victim] as CoordinatorProcess;
    const ended = once(process, 'exit');
    process.kill('SIGKILL');
    await ended;
    running[victim] = await startOne(around, databaseUrl, victim);
  }
}

/** Does something, and beside it something that goes on until that is done. */
async function meanwhile<T>(beside: (isOver: AbortSignal) => Promise<void>, work: () => Promise<T>): Promise<T> {
  const isOver = new AbortController();
  const besides = beside(isOver.signal);
  try {
    return await work();
  } finally {
    isOver.abort();
    await besides;
  }
}

type Running = { readonly running: CoordinatorProcess[]; readonly databaseUrl: string };

/** Throws unless the base ledger says of each schedule that this is its last window, and that it has paid so many. */
async function checkPaid({ base }: BenchLedgers, promised: readonly Promised[], number: number): Promise<void> {
  for (let from = 0; from < promised.length; from += ACCOUNTS) {
    const some = promised.slice(from, from + ACCOUNTS);
    const found = await fetchAllSchedule(
      base,
      some.map(({ schedule }) => schedule),
    );
    for (const [place, { address, data }] of found.entries()) {
      const isRight = data.window === BigInt(number + 1) && data.lastPaidCount === some[place]?.recipients.length;
      if (!isRight) throw new Error(`${address}: window ${data.window}, which paid ${data.lastPaidCount}.`);
    }
  }
}

type Window = {
  readonly number: number;
  readonly due: number;
  readonly schedules: number;
  readonly recipients: number;
};

/** Has coordinators pay one window of every schedule. */
async function payWindow(
  server: CountingServer,
  ledgers: BenchLedgers,
  { running, databaseUrl }: Running,
  { number, due, schedules, recipients }: Window,
): Promise<Together> {
  const dueAt = await comeDue(ledgers.clock, due);
  await sleep(dueAt - Date.now());
  await server.reset();
  const callsBefore = await ledgerCalls(running);
  const used = measureProcessors({
    coordinators: running.map(({ process }) => process.pid as number),
    PostgreSQL: [server.pid],
    ...ledgers.pids,
  });
  const settled = `select count(*) as runs, max(finished_at) as last, sum(claims_paid) as paid from execution_runs
    where window_number = ${number} and state = 'settled'`;
  const look = async () => (await server.postgres.rows(databaseUrl, settled))[0];
  let now = await look();
  while (Number(now?.runs) < schedules) {
    if (Date.now() > dueAt + LONGEST_MS) throw new Error(`${now?.runs} of ${schedules} windows are settled.`);
    await sleep(LOOK_MS);
    now = await look();
  }
  const seenAt = Date.now();
  if (Number(now?.paid) !== schedules * recipients) throw new Error(`${now?.paid} recipients were paid.`);
  const processorMs = used();
  for (const part of Object.keys(processorMs) as (keyof typeof processorMs)[]) processorMs[part] *= 1_000 / schedules;
  const statements = await server.statements(databaseUrl);
  return {
    processes: running.length,
    // A run that a coordinator found over at its start bears the ledger's time, which was set ahead.
    rate: schedules / ((Math.min(Number(now?.last), seenAt) - dueAt) / 1_000),
    processorMs,
    statements: statements.reduce((sum, { calls }) => sum + calls, 0) / schedules,
    ledgerCalls: ((await ledgerCalls(running)) - callsBefore) / schedules,
    busiest: statements.map(({ calls, milliseconds, statement }) => {
      const [times, each] = [(calls / schedules).toFixed(2), (milliseconds / schedules).toFixed(3)];
      return `${times.padStart(6)} × ${each.padStart(6)} ms  ${statement.slice(0, 110)}`;
    }),
  };
}

/** Has coordinators pay schedules that are due in the same second, time after time. Throws unless each window has one run, which paid everybody. */
export const payTogether = ({ habits = {}, ...input }: TogetherInput): Promise<Together[]> =>
  onPostgres(async (postgres) => {
    const server = await counting(postgres);
    return onLedgers((world) => payTogetherOn(server, ledgersOf(world, habits), input));
  });

const ledgersOf = (world: World, habits: Partial<ClusterHabits>): BenchLedgers => ({
  ...{ folder: world.folder, settings: world.settings, payloadKey: world.payloadKey },
  ...{ base: world.ledgers.base, clock: world.localnet.admin },
  pids: { base: [world.localnet.basePid], layer: [world.localnet.layerPid as number] },
  promise: (many) => promiseMany(world, many),
  begin: () => world.localnet.admin.setHabits(habits),
});

/** The same on a server and on ledgers that are there. */
export async function payTogetherOn(
  server: CountingServer,
  ledgers: BenchLedgers,
  input: Omit<TogetherInput, 'habits'>,
): Promise<Together[]> {
  const { schedules, recipients, tokens = 1, processes, killedBySeed } = input;
  const databaseUrl = await server.postgres.createDatabase();
  let running: CoordinatorProcess[] = [];
  const restart = async (count: number) => {
    await Promise.all(running.map((one) => one.stop()));
    running = [];
    running = await startMany(ledgers, databaseUrl, count);
  };
  try {
    const first = Math.floor(Date.now() / 1_000) + INTERVAL;
    const calendar = {
      first: BigInt(first),
      interval: INTERVAL,
      batchTimeout: INTERVAL - 1,
      windows: processes.length,
    };
    const promised = await ledgers.promise({ schedules, recipients, tokens, ...calendar });
    await restart(1);
    await registerAll(running[0]?.url as string, promised);
    await ledgers.begin();
    const measured: Together[] = [];
    for (const [number, count] of processes.entries()) {
      if (number === 0 || running.length !== count) await restart(count);
      const window = { number, due: first + number * INTERVAL, schedules, recipients };
      const paying = () => payWindow(server, ledgers, { running, databaseUrl }, window);
      const seed = killedBySeed;
      measured.push(
        seed === undefined
          ? await paying()
          : await meanwhile((isOver) => killInTurn(ledgers, { running, databaseUrl }, seed, isOver), paying),
      );
      await checkPaid(ledgers, promised, number);
    }
    return measured;
  } finally {
    await restart(0);
  }
}
