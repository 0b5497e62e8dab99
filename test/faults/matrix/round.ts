import { setTimeout as sleep } from 'node:timers/promises';
import { patiently, registerSchedule } from '@payouts/cli';
import { systemTime } from '@payouts/client';
import { runCommand } from '@payouts/testing/command';
import type { Passing } from '@payouts/testing/failpoints';
import type { Employer } from '@payouts/testing/world';
import { type Case, type Death, deathOf } from './cases.ts';
import { promiseCase } from './lanes.ts';
import { verdictOf } from './verdict.ts';
import type { MatrixWorld } from './world.ts';

/** Milliseconds until every case must have come to its point, and until everything must have ended after the death. */
const REACHED_WITHIN_MS = 120_000;
const ENDED_WITHIN_MS = 180_000;
const LOOK_MS = 100;

/** What became of a case. */
export type Result = {
  readonly case: Case;
  /** Recipients paid twice and recipients not paid. */
  readonly double: number;
  readonly lost: number;
  /** What went wrong, in sentences; none: the case is fine. */
  readonly problems: readonly string[];
  /** Error codes with which its runs had stopped until the operator resumed them. */
  readonly resumed: readonly string[];
  /** Seconds from the death to the end of the case's last run. */
  readonly seconds: number;
};

/** Whether everything is as it must be. */
export const isFine = ({ double, lost, problems }: Result): boolean => double + lost + problems.length === 0;

/** A case under way. */
type Played = {
  readonly case: Case;
  readonly schedules: readonly Employer[];
  readonly run: string;
  passings: number;
  /** Where its run stands, once it has come to the point. */
  heldAt: Passing | undefined;
  readonly problems: string[];
  readonly resumed: string[];
  /** When something died under it, by `performance.now()`, and how long its runs took from then on. */
  diedAt: number;
  seconds: number;
};

type Run = { readonly schedule: string; readonly state: string; readonly error_code: string | null };

/** States of a run that only an operator's command ends. */
const STOPPED: readonly string[] = ['exhausted', 'failed'];

/**
 * Plays cases of one seed and one kind of death, each with a token of its own: all of them are brought to their points, then what is
 * to die dies once, for all of them. Of three coordinators, those in which cases stand die one after the other.
 */
export async function playRound(matrix: MatrixWorld, cases: readonly Case[]): Promise<Result[]> {
  const [first] = cases;
  if (first === undefined || cases.length > matrix.lanes.length) throw new Error('A round has a case for each lane.');
  const played = await Promise.all(cases.map((each, place) => begin(matrix, each, place)));
  matrix.onPassing = (passing) => hold(played, passing);
  try {
    await staffFor(matrix, first);
    await matrix.withHabits(async () => {
      await register(matrix, played);
      await untilHeld(played);
      await KILLED[first.kill](matrix, played, deathOf(first.seed, first.kill));
    });
  } catch (error) {
    for (const one of played) one.problems.push(`the round broke off: ${(error as Error).message}`);
  } finally {
    matrix.onPassing = () => false;
    letGo(played);
  }
  return Promise.all(played.map((one) => judge(matrix, one)));
}

async function untilHeld(played: readonly Played[]): Promise<void> {
  const deadline = performance.now() + REACHED_WITHIN_MS;
  while (played.some(({ heldAt }) => heldAt === undefined) && performance.now() < deadline) await sleep(LOOK_MS);
  for (const one of played) if (one.heldAt === undefined) one.problems.push('its run never came to the point');
}

function letGo(played: readonly Played[]): void {
  for (const { heldAt } of played) heldAt?.goOn();
}

async function begin(matrix: MatrixWorld, each: Case, place: number): Promise<Played> {
  const lane = matrix.lanes[place];
  if (lane === undefined) throw new Error('There is no such lane.');
  const schedules = await promiseCase(matrix.world, lane, each);
  const run = `${schedules[each.hit]?.schedule}:0`;
  return {
    case: each,
    schedules,
    run,
    passings: 0,
    heldAt: undefined,
    problems: [],
    resumed: [],
    diedAt: 0,
    seconds: 0,
  };
}

async function staffFor(matrix: MatrixWorld, { kill }: Case): Promise<void> {
  if (kill !== 'replica') return matrix.staff(['one']);
  const names = matrix.cluster.names.filter((name) => name.startsWith('replica'));
  while (names.length < 3) names.push(matrix.nextReplica());
  await matrix.staff(names);
}

/** Stops the run at its passing of the point, once. */
function hold(played: readonly Played[], passing: Passing): boolean {
  const one = played.find((each) => each.run === passing.run && each.case.point === passing.point);
  if (one === undefined) return false;
  one.passings += 1;
  if (one.passings !== one.case.passing) return false;
  one.heldAt = passing;
  return true;
}

async function register(matrix: MatrixWorld, played: readonly Played[]): Promise<void> {
  const urls = matrix.cluster.names.map((name) => matrix.cluster.of(name).url);
  const schedules = played.flatMap((one) => one.schedules);
  await Promise.all(
    schedules.map(({ schedule, list }, place) =>
      patiently(systemTime, () => registerSchedule(urls[place % urls.length] as string, schedule, list)),
    ),
  );
}

type Killing = (matrix: MatrixWorld, played: readonly Played[], death: Death) => Promise<void>;

function dies(played: readonly Played[]): void {
  for (const one of played) one.diedAt = performance.now();
}

/** Kills something under runs that live on, and starts it again. */
async function under(
  played: readonly Played[],
  { delayMs, goesOn }: Death,
  kill: () => Promise<void>,
  restart: () => Promise<void>,
): Promise<void> {
  dies(played);
  await kill();
  if (goesOn === 'meanwhile') letGo(played);
  await sleep(delayMs);
  await restart();
  letGo(played);
}

const KILLED: Record<Case['kill'], Killing> = {
  async coordinator(matrix, played, { delayMs }) {
    dies(played);
    for (const name of matrix.cluster.names) await matrix.cluster.kill(name);
    await sleep(delayMs);
    await matrix.staff(['one']);
    await untilEnded(matrix, played);
  },
  async postgres(matrix, played, death) {
    const { postgres } = matrix;
    await under(
      played,
      death,
      () => postgres.stop('immediate'),
      () => postgres.start(),
    );
    await untilEnded(matrix, played);
  },
  async validator(matrix, played, death) {
    const { localnet } = matrix.world;
    await under(
      played,
      death,
      () => localnet.killLayer('SIGKILL'),
      () => localnet.restartLayer(),
    );
    await untilEnded(matrix, played);
  },
  async replica(matrix, played) {
    const { cluster } = matrix;
    for (const victim of cluster.names) {
      const { process } = cluster.of(victim);
      const hit = played.filter(({ heldAt }) => heldAt?.process === process);
      if (hit.length === 0) continue;
      dies(hit);
      await cluster.kill(victim);
      await untilEnded(matrix, hit);
      await cluster.startOne(matrix.nextReplica());
    }
    await untilEnded(matrix, played);
  },
};

/** Waits until every run of these cases is settled; whatever has stopped for good is resumed as an operator would. */
async function untilEnded(matrix: MatrixWorld, played: readonly Played[]): Promise<void> {
  const deadline = performance.now() + ENDED_WITHIN_MS;
  const open = new Set(played);
  while (open.size > 0 && performance.now() < deadline) {
    const runs = await readRuns(matrix, [...open]);
    for (const one of open) {
      const own = runs.filter(({ schedule }) => one.schedules.some((employer) => employer.schedule === schedule));
      for (const run of own.filter(({ state }) => STOPPED.includes(state))) await resume(matrix, one, run);
      if (own.filter(({ state }) => state === 'settled').length < one.schedules.length) continue;
      if (one.seconds === 0) one.seconds = (performance.now() - one.diedAt) / 1_000;
      open.delete(one);
    }
    await sleep(LOOK_MS);
  }
  for (const one of open) {
    one.problems.push(
      `not settled within ${ENDED_WITHIN_MS / 1_000} s: ${JSON.stringify(await readRuns(matrix, [one]))}`,
    );
  }
}

async function readRuns(matrix: MatrixWorld, played: readonly Played[]): Promise<Run[]> {
  const schedules = played.flatMap((one) => one.schedules.map(({ schedule }) => `'${schedule}'`));
  const query = `select schedule, state, error_code from execution_runs where schedule in (${schedules})`;
  return (await matrix.cluster.rows(query)) as Run[];
}

/** The operator's command. */
async function resume(matrix: MatrixWorld, one: Played, { schedule, state, error_code }: Run): Promise<void> {
  one.resumed.push(`${state}: ${error_code}`);
  const { code } = await runCommand(matrix.cluster.settings, 'runs', 'resume', `${schedule}:0`);
  if (code !== 0) one.problems.push(`runs resume ended with ${code}`);
}

async function judge(matrix: MatrixWorld, one: Played): Promise<Result> {
  const { world, cluster } = matrix;
  const problems = [...one.problems];
  let [double, lost] = [0, 0];
  try {
    for (const employer of one.schedules) {
      const verdict = await verdictOf(world, employer);
      double += verdict.double;
      lost += verdict.lost;
      problems.push(...verdict.problems);
    }
    const runs = await readRuns(matrix, [one]);
    if (runs.length !== one.schedules.length) {
      problems.push(`${runs.length} runs for ${one.schedules.length} windows`);
    }
    await world.checkMoneyRules(...one.schedules);
  } catch (error) {
    problems.push((error as Error).message);
  }
  if (cluster.endedByThemselves.length > 0)
    problems.push(`ended by themselves: ${cluster.endedByThemselves.join(', ')}`);
  const { resumed, seconds } = one;
  return { case: one.case, double, lost, problems, resumed, seconds };
}
