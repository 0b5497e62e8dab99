import { lastRound, leavesAt, ROUND_OPEN_SECONDS, roundBefore, type Time } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { ObservedWithdrawal } from '../balances/personal.ts';
import { groupedBy } from '../platform/groupedBy.ts';
import { decidedFor, keepDecided, nextWindowOf } from '../store/queries/rounds.ts';
import type { Db } from '../store/schema.ts';

/** Seconds before a round's end in which nothing is begun any more: the layer's clock may be ahead. */
const LEAST_LEFT = 60n;

/**
 * Has the parts that wait leave in rounds, all of a token or none. That is decided once, and kept before the first one leaves: what is left
 * of a round that was interrupted leaves in it, too, and windows that are paid meanwhile change nothing.
 */
export class Rounds {
  constructor(private readonly input: { readonly database: Db; readonly time: Pick<Time, 'now'> }) {}

  /** Those of the withdrawals that wait which leave now, in no order. */
  async leaving(waiting: readonly ObservedWithdrawal[]): Promise<ObservedWithdrawal[]> {
    const now = BigInt(Math.floor(this.input.time.now() / 1_000));
    const round = roundBefore(now);
    if (now > round + ROUND_OPEN_SECONDS - LEAST_LEFT) return [];
    // What was asked for after the round began is not in it.
    const joined = waiting.filter(({ inRound, dueAt }) => inRound && dueAt < lastRound(round));
    const byMint = groupedBy(joined, ({ personal }) => personal.mint);
    if (byMint.size === 0) return [];
    const decided = await decidedFor(this.input.database, round, [...byMint.keys()]);
    const leaving: ObservedWithdrawal[] = [];
    for (const [mint, parts] of byMint) {
      if (decided.get(mint) ?? (await this.#decide(mint, round, parts))) leaving.push(...parts);
    }
    return leaving;
  }

  /** Whether a token's parts leave in a round that was not decided about before. */
  async #decide(mint: Address, round: bigint, parts: readonly ObservedWithdrawal[]): Promise<boolean> {
    const { database } = this.input;
    const [due] = parts.map(({ dueAt }) => dueAt).sort((one, other) => Number(one - other));
    const nextWindow = await nextWindowOf(database, mint, round);
    const leaves = leavesAt({ round, due, nextWindow }) !== undefined;
    const people = new Set(parts.map(({ personal }) => personal.address)).size;
    await keepDecided(database, { mint, round, leaves, parts: parts.length, people });
    return leaves;
  }
}
