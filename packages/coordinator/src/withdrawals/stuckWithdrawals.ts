import type { Time } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { ObservedWithdrawal } from '../balances/personal.ts';
import type { Logger } from '../platform/log/log.ts';
import { endStuckWithdrawals, findStuckTokens, noteStuckWithdrawals } from '../store/queries/conditions.ts';
import type { Db } from '../store/schema.ts';

/** Milliseconds between two looks for tokens of which nothing is under way any more. */
const READ_MS = 10_000;

export type StuckInput = {
  readonly database: Db;
  readonly time: Time;
  readonly log: Logger;
  /** For so long a withdrawal has had its number when it is stuck. */
  readonly stuckSeconds: number;
};

/** Since when a token is looked at, and since when each of its withdrawals, unix milliseconds. `isStuck` undefined: not known yet. */
type Watched = {
  readonly since: number;
  readonly seen: ReadonlyMap<string, number>;
  readonly isStuck: boolean | undefined;
};

/** Redirected, it is another one. */
const keyOf = ({ number, wallet }: ObservedWithdrawal) => `${number}:${wallet}`;

/** Notes when a token's withdrawals are not paid for long, and when none of them is left. */
export class StuckWithdrawals {
  readonly #watched = new Map<Address, Watched>();
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly input: StuckInput) {}

  /** A token's withdrawals that have a number and are not known to be paid; asked by the process that pays them. */
  async look(mint: Address, underWay: readonly ObservedWithdrawal[]): Promise<void> {
    const { database, time, log, stuckSeconds } = this.input;
    const now = time.now();
    const before = this.#watched.get(mint);
    const since = before?.since ?? now;
    const seen = new Map(underWay.map((each) => [keyOf(each), before?.seen.get(keyOf(each)) ?? now]));
    const isLong = (from: number) => now - from >= stuckSeconds * 1_000;
    const count = [...seen.values()].filter(isLong).length;
    // What another process had found stuck looks new here at first.
    const isOver = underWay.length === 0 || (count === 0 && isLong(since));
    const isStuck = count > 0 ? true : isOver ? false : before?.isStuck;
    if (isStuck === true && before?.isStuck !== true && (await noteStuckWithdrawals(database, mint, count))) {
      log.warn({ mint, count }, "a token's withdrawals are stuck");
    }
    if (isStuck === false && before?.isStuck !== false) await endStuckWithdrawals(database, mint);
    this.#watched.set(mint, { since, seen, isStuck });
  }

  /** Tokens that stand as stuck and are none of those at work; now and then. */
  async others(atWork: ReadonlySet<Address>): Promise<Address[]> {
    const now = this.input.time.now();
    if (now - this.#readAt < READ_MS) return [];
    this.#readAt = now;
    return (await findStuckTokens(this.input.database)).filter((mint) => !atWork.has(mint));
  }
}
