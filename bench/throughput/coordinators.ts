import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { recipientsToJson } from '@payouts/client';
import { type CoordinatorProcess, startCoordinator } from '@payouts/sandbox';
import { forEachLimited } from '../../packages/coordinator/dist/platform/concurrency.js';
import { BEFORE_DUE } from '../runner/clock.ts';
import { measureProcessors, peakMemory } from '../runner/processes.ts';
import { callsBetween, readLedgerCalls } from './ledgerCalls.ts';
import type { BenchLedgers, Promised } from './ledgers.ts';
import type { CountingServer } from './server.ts';
import type { Measured } from './table.ts';

const INTERVAL = 86_400;
const LOOK_MS = 500;
const LONGEST_SECONDS = 1_800;
/** As many as a coordinator takes at a time by default. */
const REGISTRATIONS_AT_A_TIME = 4;

export type CoordinatorsInput = {
  readonly schedules: number;
  readonly recipients: number;
  readonly tokens: number;
  /** Coordinators that pay each window, one window after the other; where the number stays the same, so do they. */
  readonly processes: readonly number[];
  readonly settings: Readonly<Record<string, string>>;
  /** Of several coordinators, one is killed when half of the last windows that they pay are settled. */
  readonly killAtHalf: boolean;
};

/** Has coordinators pay schedules that are due in the same second. Throws unless each window has one run, which paid everybody. */
export async function measureCoordinators(
  server: CountingServer,
  ledgers: BenchLedgers,
  input: CoordinatorsInput,
  onMeasured: (window: Measured) => void,
): Promise<void> {
  const { schedules, recipients, tokens, processes, killAtHalf } = input;
  const { postgres } = server;
  const databaseUrl = await postgres.createDatabase();
  const rows = (query: string) => postgres.rows(databaseUrl, query);
  const key = join(ledgers.folder, 'payload.key');
  writeFileSync(key, randomBytes(32).toString('hex'), { mode: 0o600 });

  let running: CoordinatorProcess[] = [];
  const start = async (count: number) => {
    const starting = Array.from({ length: count }, (_, number) => {
      const own = { INSTANCE_NAME: `bench-${number}`, DATABASE_URL: databaseUrl, PAYLOAD_KEY: key };
      const env = { ...ledgers.settings, ...input.settings, ...own, METRICS_PUBLIC: 'true' };
      return startCoordinator(env, join(ledgers.folder, `coordinator-${number}.log`));
    });
    running = await Promise.all(starting);
  };
  const stop = async () => {
    await Promise.all(running.map((one) => one.stop()));
    running = [];
  };
  const settledOf = async (window: number) => {
    const [row] = await rows(
      `select count(*) as ended, max(finished_at) as last from execution_runs
        where window_number = ${window} and state = 'settled'`,
    );
    return { ended: Number(row?.ended), last: Number(row?.last) };
  };
  const checkRuns = async (window: number) => {
    const [row] = await rows(
      `select count(*) as runs, sum(claims_paid) as paid, sum(unpaid) as unpaid from execution_runs
        where window_number = ${window}`,
    );
    const [runs, paid, unpaid] = [Number(row?.runs), Number(row?.paid), Number(row?.unpaid)];
    if (runs !== schedules || paid !== schedules * recipients || unpaid !== 0) {
      throw new Error(`${schedules} windows have ${runs} runs, which paid ${paid} recipients and left out ${unpaid}.`);
    }
    return runs;
  };

  try {
    const first = BigInt(Math.floor(Date.now() / 1_000) + INTERVAL);
    const every = { interval: INTERVAL, batchTimeout: INTERVAL - 1 };
    const promised = await ledgers.promise({ ...input, ...every, windows: processes.length, first });
    await start(1);
    await register(running[0]?.url as string, promised);
    await stop();

    let before = 0;
    for (const [window, count] of processes.entries()) {
      if (processes[window - 1] === count) before += 1;
      else {
        before = 0;
        await stop();
        await start(count);
      }
      const killsOne = killAtHalf && count > 1 && processes[window + 1] !== count;
      await ledgers.setClock(Number(first) + window * INTERVAL - BEFORE_DUE);
      const dueAt = Date.now() + BEFORE_DUE * 1_000;
      await sleep(dueAt - Date.now());
      let urls = running.map(({ url }) => url);
      let pids = running.map(({ process }) => process.pid as number);
      let killed = 0;
      await server.reset();
      const callsBefore = await readLedgerCalls(urls);
      const used = measureProcessors({ coordinators: pids, PostgreSQL: [server.pid], ...ledgers.processes });
      let now = await settledOf(window);
      while (now.ended < schedules) {
        if (Date.now() > dueAt + LONGEST_SECONDS * 1_000) throw new Error(`${now.ended} of ${schedules} are settled.`);
        await sleep(LOOK_MS);
        now = await settledOf(window);
        if (killsOne && killed === 0 && now.ended >= schedules / 2) {
          running.pop()?.process.kill('SIGKILL');
          killed += 1;
          urls = running.map(({ url }) => url);
          pids = running.map(({ process }) => process.pid as number);
        }
      }
      const { groups, machineCores } = used();
      const statements = await server.statements(databaseUrl);
      const [tries] = await rows(
        `select count(*) as further from execution_attempts join execution_runs on run_id = execution_runs.id
          where window_number = ${window} and number > 1`,
      );
      onMeasured({
        what: `${ledgers.name}, ${tokens} token${tokens === 1 ? '' : 's'}, ${window === 0 ? 'new' : 'known'} balances`,
        processes: count,
        before,
        ...(killsOne && { killed }),
        runs: await checkRuns(window),
        windows: schedules,
        seconds: (now.last - dueAt) / 1_000,
        processors: groups,
        machineCores,
        statements,
        calls: callsBetween(callsBefore, await readLedgerCalls(urls)),
        memory: Math.max(...pids.map(peakMemory)),
        furtherTries: Number(tries?.further),
      });
    }
  } finally {
    await stop();
  }
}

/** Registers lists at a coordinator. */
export async function register(url: string, promised: readonly Promised[]): Promise<void> {
  await forEachLimited(promised, REGISTRATIONS_AT_A_TIME, async ({ schedule, recipients }) => {
    const response = await fetch(`${url}/api/schedules`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ schedulePda: schedule, recipients: recipientsToJson(recipients) }),
    });
    const said = await response.text();
    if (response.status !== 201) throw new Error(`A registration was answered ${response.status}: ${said}`);
  });
}
