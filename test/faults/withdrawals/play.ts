import { setTimeout as sleep } from 'node:timers/promises';
import { addressToBytes } from '@payouts/client';
import type { FaultRule } from '@payouts/testing/faults/rule';
import { BalanceWatch } from './balances.ts';
import { kill } from './deaths.ts';
import { freeze, thaw } from './freezing.ts';
import { type Leaving, leave } from './leaving.ts';
import { confirmAll, replayPayouts } from './replays.ts';
import { EVERY, type Person, type Stage } from './stage.ts';

/** Of a window's withdrawals: those to wallets that are frozen when they arrive, and those that never reach the base ledger. */
const FROZEN = 0.15;
const DROPPED = 0.15;
/** Of payouts on their way to the base ledger, until enough were dropped. */
const DROP_CHANCE = 0.3;
/** How they are: taken and forgotten, the connection reset, refused, or an error that a node gives which is behind. */
const DROPS: FaultRule['faults'] = [{ kind: 'swallow' }, { kind: 'drop-before' }, { kind: 'too-many' }];
/** Milliseconds for which a frozen wallet stays so after a payout to it was issued. */
const FROZEN_MS = 2_000;
const LOOK_MS = 50;
/** Milliseconds for all withdrawals of a window. */
const WITHIN_MS = 600_000;
const SETTLED_WITHIN_MS = 120_000;

/** What was done to the withdrawals of all windows. */
export type Played = {
  frozen: number;
  dropped: number;
  /** Withdrawals whose payout came to nothing, as their balances showed. */
  failed: number;
  died: number;
  replayed: number;
  confirmed: number;
};

/** Has everybody paid in each window and everybody's money leave, while payouts fail, processes die and everything is said twice. */
export async function play(stage: Stage, say: (line: string) => void = () => {}): Promise<Played> {
  const played: Played = { frozen: 0, dropped: 0, failed: 0, died: 0, replayed: 0, confirmed: 0 };
  const { cluster, employer, world } = stage;
  await cluster.register(employer);
  const watch = new BalanceWatch(world, employer.mint, stage.people);
  try {
    for (const window of stage.withdrawals.keys()) {
      const began = performance.now();
      if (window > 0) await world.localnet.admin.advanceClock(EVERY);
      await playWindow(stage, watch, window, played);
      played.replayed += await replayPayouts(stage);
      const { withdrawals } = await world.pool(employer);
      say(
        `${withdrawals} withdrawals paid after ${((performance.now() - began) / 1_000).toFixed(1)} s of window ${window}`,
      );
    }
  } finally {
    await watch.stop();
  }
  played.failed = watch.failed.size;
  return played;
}

async function playWindow(stage: Stage, watch: BalanceWatch, window: number, played: Played): Promise<void> {
  const { people, cluster, employer, random } = stage;
  const times = stage.withdrawals[window] ?? [];
  const due = times.reduce((sum, number) => sum + number, 0);
  const frozen = people
    .filter((_, line) => (times[line] ?? 0) > 0)
    .map((person) => ({ person, at: random.u32() }))
    .sort((one, other) => one.at - other.at)
    .slice(0, Math.round(due * FROZEN))
    .map(({ person }) => person);
  await freeze(
    stage,
    frozen.map(({ wallet }) => wallet),
  );
  played.frozen += frozen.length;
  const over = new AbortController();
  const dropping = drop(stage, Math.round(due * DROPPED), over.signal);
  await cluster.settled(employer, BigInt(window), SETTLED_WITHIN_MS);
  await watch.fresh();
  const leaving: Leaving = { stage, watch, deadline: Date.now() + WITHIN_MS };
  const beside = Promise.all([
    dropping,
    kill(stage, due, over.signal),
    confirmAll(stage, watch, over.signal),
    thawOnceTried(stage, watch, frozen, over.signal),
  ]);
  await Promise.race([
    Promise.all(people.map((person, line) => leave(leaving, person, times[line] ?? 0))),
    // Ends first only by an error.
    beside.then(() => new Promise<never>(() => {})),
  ]).finally(() => over.abort());
  const [dropped, died, confirmed] = await beside;
  played.dropped += dropped;
  played.died += died;
  played.confirmed += confirmed;
}

/** Keeps payouts from the base ledger until so many were; the layer is told all kinds of things about them. Returns how many were. */
async function drop({ between, pool }: Stage, count: number, over: AbortSignal): Promise<number> {
  const before = between.count();
  const rule = { probability: DROP_CHANCE, methods: ['sendTransaction'], holding: addressToBytes(pool) };
  between.set({ ...rule, faults: DROPS });
  while (between.count() - before < count && !over.aborted) await sleep(LOOK_MS);
  between.set();
  return between.count() - before;
}

/** Thaws each wallet a while after a payout to it was issued. */
async function thawOnceTried(
  stage: Stage,
  watch: BalanceWatch,
  frozen: readonly Person[],
  over: AbortSignal,
): Promise<void> {
  const left = new Set(frozen);
  const triedAt = new Map<Person, number>();
  while (left.size > 0 && !over.aborted) {
    for (const person of left) {
      const isTried = watch.of(person)?.underWay.some(({ number, dueAt }) => number !== 0n && dueAt !== 0n);
      if (isTried && !triedAt.has(person)) triedAt.set(person, Date.now());
    }
    const tried = [...left].filter(
      (person) => Date.now() - (triedAt.get(person) ?? Number.POSITIVE_INFINITY) > FROZEN_MS,
    );
    await thaw(
      stage,
      tried.map(({ wallet }) => wallet),
    );
    for (const person of tried) left.delete(person);
    await sleep(LOOK_MS);
  }
}
