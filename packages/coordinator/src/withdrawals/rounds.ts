import {
  crowdPay,
  EXIT_LIMIT_SECONDS,
  goesAlong,
  hasJoined,
  leavesAt,
  MOST_PARTS,
  planParts,
  ROUND_OPEN_SECONDS,
  roundBefore,
  type Time,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import type { ObservedPersonal, ObservedWithdrawal } from '../balances/personal.ts';
import { groupedBy } from '../platform/groupedBy.ts';
import {
  decidedFor,
  keepDecided,
  leftBeforePay,
  nextWindowOf,
  sizesAt,
  sizesBetween,
} from '../store/queries/rounds.ts';
import type { Db } from '../store/schema.ts';
import type { Beginning } from './layerActions.ts';

/** Seconds before a round's end in which nothing is begun any more: the layer's clock may be ahead. */
const LEAST_LEFT = 60n;

/**
 * Has the parts that wait leave in rounds. Whether those of a token do is decided once, and kept before the first one leaves: what is left
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
    const joined = waiting.filter(({ inRound, dueAt }) => inRound && hasJoined(dueAt, round));
    const byMint = groupedBy(joined, ({ personal }) => personal.mint);
    if (byMint.size === 0) return [];
    const { database } = this.input;
    const decided = await decidedFor(database, round, [...byMint.keys()]);
    const leaving: ObservedWithdrawal[] = [];
    for (const [mint, all] of byMint) {
      const sizes = await sizesBetween(database, mint, round - EXIT_LIMIT_SECONDS, round);
      // What has no size of the token's, such as one base unit, leaves by itself at its limit: it would cost nothing to have others leave
      // by it, or to seem to be many.
      const parts = all.filter(({ amount }) => sizes.includes(amount));
      if (parts.length === 0 || decided.get(mint) === false) continue;
      const [size = 0n] = sizes;
      const crowd = crowdPay(size);
      const nextCrowd = await nextWindowOf(database, mint, { after: round, ...crowd });
      const before = await leftBeforePay(database, mint, { round, ...crowd });
      const leavers = parts.filter(({ dueAt }) => goesAlong(dueAt, { round, nextCrowd, before }));
      const leaves = decided.get(mint) ?? (await this.#decide(mint, { round, size }, parts, leavers));
      if (leaves) leaving.push(...leavers);
    }
    return leaving;
  }

  /**
   * Parts that stand ready and can be begun, as a plan has it that their owner makes: no more at a time than anybody has, and of the token's
   * size alone. `available`: by the address of the account.
   */
  async ready(
    watched: readonly ObservedPersonal[],
    available: ReadonlyMap<Address, bigint>,
  ): Promise<readonly Beginning[]> {
    const standing = watched.filter((each) => each.standing().length > 0);
    const ready: Beginning[] = [];
    for (const [mint, all] of groupedBy(standing, (each) => each.mint)) {
      const now = BigInt(Math.floor(this.input.time.now() / 1_000));
      const { size } = await sizesAt(this.input.database, mint, now);
      for (const personal of all) {
        const most = MOST_PARTS - personal.withdrawals().filter(({ inRound }) => inRound).length;
        const { parts } = planParts(available.get(personal.address) ?? 0n, size?.size ?? 0n, most);
        const fitting = personal.standing().filter(({ amount }) => amount === size?.size);
        ready.push(...fitting.slice(0, parts).map(({ id }) => ({ personal, takes: id })));
      }
    }
    return ready;
  }

  /** Accounts of which nothing stands ready any more in the size of what was just begun. */
  ended(begun: readonly Beginning[]): ObservedPersonal[] {
    return [...groupedBy(begun, ({ personal }) => personal)].flatMap(([personal, all]) => {
      const taken = new Set(all.map(({ takes }) => takes));
      const standing = personal.standing();
      const sizes = new Set(standing.filter(({ id }) => taken.has(id)).map(({ amount }) => amount));
      const isLeft = standing.some(({ id, amount }) => sizes.has(amount) && !taken.has(id));
      return sizes.size === 0 || isLeft ? [] : [personal];
    });
  }

  /** Whether a token's parts leave in a round that was not decided about before; `leavers`: those that do if so. */
  async #decide(
    mint: Address,
    { round, size }: { readonly round: bigint; readonly size: bigint },
    parts: readonly ObservedWithdrawal[],
    leavers: readonly ObservedWithdrawal[],
  ): Promise<boolean> {
    const [due] = parts.map(({ dueAt }) => dueAt).sort((one, other) => Number(one - other));
    const nextWindow = await nextWindowOf(this.input.database, mint, { after: round, least: size });
    const leaves = leavesAt({ round, due, nextWindow }) !== undefined;
    const counted = leaves ? leavers : parts;
    const people = new Set(counted.map(({ personal }) => personal.address)).size;
    await keepDecided(this.input.database, { mint, round, leaves, parts: counted.length, people });
    return leaves;
  }
}
