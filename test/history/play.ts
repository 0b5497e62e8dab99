import { setTimeout as sleep } from 'node:timers/promises';
import { fetchMaybeSchedule, SchedulePhase, ScheduleStatus } from '@payouts/client';
import { runCommand } from '@payouts/testing/command';
import { Random } from '@payouts/testing/random';
import { endingOf } from './api.ts';
import { factsOf } from './check/model.ts';
import { Clients } from './clients.ts';
import { readLayer, recordLedger } from './ledgers.ts';
import { type Fault, Nemesis } from './nemesis.ts';
import type { Recorder } from './record.ts';
import type { Stage } from './stage.ts';

/** Milliseconds that everything may take to come to rest: a payout that was lost is issued again after 30 s, then after 60 s. */
const RESTS_WITHIN_MS = 150_000;
/** Milliseconds between two looks. */
const LOOK_MS = 1_000;
/** Milliseconds between two lines about how far it is. */
const SAY_EVERY_MS = 30_000;
/** Tries of each last read. */
const TRIES = 20;

/** What is played. */
export type Play = {
  readonly seed: number;
  readonly milliseconds: number;
  /** What is done to the system; left out: everything. */
  readonly faults?: readonly Fault[];
  /** Milliseconds that everything may take to come to rest once it is whole; left out: long enough for a payout that was lost twice. */
  readonly restMs?: number;
  readonly say?: (line: string) => void;
};

/** Has clients use the system while it suffers, heals it, waits until it rests and writes down how it stands then. */
export async function play(stage: Stage, recorder: Recorder, given: Play): Promise<void> {
  const { seed, milliseconds, faults, restMs = RESTS_WITHIN_MS, say } = given;
  const clients = new Clients(stage, recorder, new Random(seed));
  const nemesis = new Nemesis(stage, recorder, seed + 1, faults);
  for (let left = milliseconds; left > 0; ) {
    const some = Math.min(left, SAY_EVERY_MS);
    await sleep(some);
    left -= some;
    say?.(`${recorder.operations} operations after ${Math.round((milliseconds - left) / 1_000)} s`);
  }
  await Promise.all([nemesis.stop(), clients.stop()]);
  recorder.note({ kind: 'healed' });
  const isAtRest = await rest(stage, clients, recorder, restMs);
  say?.(isAtRest ? 'everything has come to rest' : 'not everything has come to rest');
  await readAll(stage, clients, recorder);
  await recordLedger(stage, recorder);
}

/** Waits until every window of acknowledged lists is settled and no withdrawal is under way; runs that have stopped are resumed. */
async function rest(stage: Stage, clients: Clients, recorder: Recorder, withinMs: number): Promise<boolean> {
  const until = performance.now() + withinMs;
  const registered = new Set(
    factsOf(recorder.history)
      .operations.filter(({ f, outcome }) => f === 'register' && outcome === 'ok')
      .map(({ asked }) => (asked as { root: string }).root),
  );
  const resumed = new Set<string>();
  while (performance.now() < until) {
    const [stopped, isQuiet] = await Promise.all([
      resumeStopped(stage, recorder, resumed),
      isOver(stage, clients, registered),
    ]);
    if (stopped === 0 && isQuiet) return true;
    await sleep(LOOK_MS);
  }
  return false;
}

async function isOver(stage: Stage, clients: Clients, registered: ReadonlySet<string>): Promise<boolean> {
  const { world } = stage;
  try {
    for (const { address } of clients.employers.promised) {
      const found = await fetchMaybeSchedule(world.ledgers.base, address);
      if (!found.exists) continue;
      const { phase, status, executionsLeft, root } = found.data;
      const isToOpen = status === ScheduleStatus.Active && executionsLeft > 0;
      const isRegistered = registered.has(Buffer.from(Uint8Array.from(root)).toString('hex'));
      if (phase === SchedulePhase.Open || (isToOpen && isRegistered)) return false;
    }
    for (const company of stage.companies) {
      const held = await readLayer(world, company, (recipient) => clients.employers.ownersOf(recipient));
      if (held.some(({ underWay }) => underWay.length > 0)) return false;
    }
    return true;
  } catch {
    // A ledger does not answer yet.
    return false;
  }
}

type Stopped = { readonly schedule: string; readonly window_number: string };

/** Has the operator resume what has stopped for good, each run once; returns how many had. */
async function resumeStopped({ cluster }: Stage, recorder: Recorder, resumed: Set<string>): Promise<number> {
  const query = "select schedule, window_number from execution_runs where state in ('exhausted', 'failed')";
  const stopped = (await cluster.rows(query)) as Stopped[];
  for (const { schedule, window_number } of stopped) {
    if (resumed.has(`${schedule}:${window_number}`)) continue;
    resumed.add(`${schedule}:${window_number}`);
    const resume = async () => {
      const { code } = await runCommand(cluster.settings, 'runs', 'resume', `${schedule}:${window_number}`);
      if (code !== 0) throw new Error(`runs resume ended with ${code}`);
      return null;
    };
    await recorder.operation('operator', 'goOn', { schedule, window: Number(window_number) }, resume, endingOf);
  }
  return stopped.length;
}

/** Asks until there is an answer, a few times. */
async function surely(read: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    if ((await read()) !== undefined) return;
    await sleep(LOOK_MS);
  }
}

/** Everything that can be read, once more. */
async function readAll({ world, companies }: Stage, clients: Clients, recorder: Recorder): Promise<void> {
  const last = 'last reader';
  for (const company of companies) {
    const own = clients.employers.promised.filter((each) => each.company === company);
    for (const schedule of own) {
      await surely(() => clients.reader.runs(schedule, last));
      await surely(() => clients.reader.schedule(schedule, last));
    }
    for (const key of company.recipients) {
      await surely(() => clients.reader.balances(key, last));
      await surely(() => clients.reader.history(key, last));
      for (const schedule of own) await clients.reader.receipts(schedule, key, last);
    }
    const look = () => readLayer(world, company, (recipient) => clients.employers.ownersOf(recipient));
    await surely(() => recorder.operation(last, 'layer', { mint: company.mint }, look, endingOf));
  }
}
