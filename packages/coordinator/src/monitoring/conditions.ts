import type { LedgerClock } from '../ledger/clock.ts';
import { type LoopContext, runLoop } from '../platform/loop.ts';
import { type Alive, unwatched } from '../platform/watchedRound.ts';
import { type ConditionLimits, noteLateWindows, noteLowFunding } from '../store/queries/conditions.ts';
import type { Db } from '../store/schema.ts';

const EVERY_MS = 5_000;

export type ConditionInput = {
  readonly database: Db;
  readonly clock: Pick<LedgerClock, 'shown' | 'now'>;
  readonly limits: ConditionLimits;
};

/** Notes what of schedules and windows is as it should not stay, and what is so no more. */
export async function noteConditions(
  { database, clock, limits }: ConditionInput,
  alive: Alive = unwatched,
): Promise<void> {
  await noteLowFunding(database, limits);
  alive();
  // Before the ledger's time is known, nothing is late.
  if (clock.shown !== undefined) await noteLateWindows(database, limits, clock.now());
}

/** The same again and again until the signal. */
export async function observeConditions(input: ConditionInput & LoopContext): Promise<void> {
  await runLoop({ ...input, name: 'conditions' }, async (alive) => {
    await noteConditions(input, alive);
    return EVERY_MS;
  });
}
