import { setTimeout as sleep } from 'node:timers/promises';
import type { WindowRun } from '@payouts/cli';
import type { Postgres } from '@payouts/testing/services';
import type { World } from '@payouts/testing/world';
import type { Signature } from '@solana/kit';
import { untilIdle } from '../registration/server.ts';
import { BEFORE_DUE } from '../runner/clock.ts';
import { peakMemory } from '../runner/processes.ts';
import { timed } from '../runner/timed.ts';
import { somePayees } from './payees.ts';
import { SERVICE_DEFAULTS } from './settings.ts';
import { baseTransactions, lamportsOf, layerUnits, lookForWithdrawals } from './traces.ts';

const INTERVAL = 86_400;
const BATCH_TIMEOUT = 3_600;
const LONGEST_MS = 900_000;
/** Milliseconds between two looks for a window's end, whose times the run itself tells: who asks more often takes part in what is measured. */
const LOOK_MS = 250;
/** Milliseconds after which nothing of a settled window follows any more on the base ledger. */
const QUIET_MS = 2_000;

/** What one window took. */
export type WindowFigures = {
  readonly window: number;
  readonly balances: 'new' | 'known';
  /** From the instant at which it was due to its end, which is final on the base ledger. */
  readonly dueToFinal: number;
  /** From its first stage's start to its last one's end. */
  readonly seconds: number;
  readonly claimSeconds: number;
  readonly baseTransactions: number;
  /** Lamports that have left the execution authority, and how many of them the batch still has. */
  readonly lamports: number;
  readonly batchLamports: number;
  /** Lamports that have left the validator. */
  readonly validatorLamports: number;
  readonly units: number;
  readonly databaseBytes: number;
};

/** Windows of one list, and what the list itself took. */
export type SizeFigures = {
  readonly recipients: number;
  readonly windows: readonly WindowFigures[];
  readonly registrationSeconds: number;
  readonly registeredBytes: number;
  readonly databaseBytes: number;
  readonly peakMemory: number;
  /** Milliseconds. */
  readonly withdrawalLook: number;
};

function stageTimes({ attempts }: WindowRun): { seconds: number; claimSeconds: number } {
  const ends = attempts.map(({ endedAt }) => endedAt ?? 0);
  const claims = attempts.filter(({ stage }) => stage === 'claim');
  const took = (many: typeof attempts) =>
    many.reduce((sum, { startedAt, endedAt }) => sum + ((endedAt ?? startedAt) - startedAt) / 1_000, 0);
  const seconds = (Math.max(...ends) - Math.min(...attempts.map(({ startedAt }) => startedAt))) / 1_000;
  return { seconds, claimSeconds: took(claims) };
}

/** Has a coordinator pay so many windows of so many recipients, the first to new balances, on a database of its own. Every money rule is checked. */
export async function measureSize(
  world: World,
  postgres: Postgres,
  { recipients, windows }: { readonly recipients: number; readonly windows: number },
): Promise<SizeFigures> {
  const databaseUrl = await postgres.createDatabase();
  const databaseSize = async () =>
    Number((await postgres.rows(databaseUrl, 'select pg_database_size(current_database()) as bytes'))[0]?.bytes);
  await world.startCoordinator({ ...SERVICE_DEFAULTS, DATABASE_URL: databaseUrl, PAYLOAD_KEY: world.payloadKey });
  const empty = await databaseSize();
  const first = Math.floor(Date.now() / 1_000) + INTERVAL;
  const employer = await world.employer(somePayees(recipients), {
    executions: windows,
    calendar: { unit: 'seconds', every: INTERVAL, day: 0 },
    firstExecution: BigInt(first),
    batchTimeout: BATCH_TIMEOUT,
  });
  const registrationMs = await timed(() => world.register(employer));
  await untilIdle(world.coordinatorPid);
  const registered = await databaseSize();

  const batch = await world.batch(employer);
  const figures: WindowFigures[] = [];
  let seen: Signature | undefined;
  for (let window = 0; window < windows; window++) {
    const [before, sizeBefore, since] = [await lamportsOf(world, batch), await databaseSize(), Date.now()];
    await world.localnet.admin.warpClock(first + window * INTERVAL - BEFORE_DUE);
    const dueAt = Date.now() + BEFORE_DUE * 1_000;
    const run = await world.settled(employer, BigInt(window), LONGEST_MS, LOOK_MS);
    if (run.unpaid.count > 0) throw new Error(`${run.unpaid.count} of ${recipients} recipients were not paid.`);
    await sleep(QUIET_MS);
    const after = await lamportsOf(world, batch);
    const [units, newest] = await layerUnits(world, batch, seen);
    seen = newest;
    figures.push({
      window,
      balances: window === 0 ? 'new' : 'known',
      dueToFinal: ((run.finishedAt ?? 0) - dueAt) / 1_000,
      ...stageTimes(run),
      baseTransactions: await baseTransactions(world, since),
      lamports: before.authority - after.authority,
      batchLamports: after.batch - before.batch,
      validatorLamports: before.validator - after.validator,
      units,
      databaseBytes: (await databaseSize()) - sizeBefore,
    });
  }
  const result = {
    recipients,
    windows: figures,
    registrationSeconds: registrationMs / 1_000,
    registeredBytes: registered - empty,
    databaseBytes: (await databaseSize()) - empty,
    peakMemory: peakMemory(world.coordinatorPid),
    withdrawalLook: await lookForWithdrawals(world),
  };
  await world.stopCoordinator();
  await world.checkMoneyRules(employer);
  return result;
}
