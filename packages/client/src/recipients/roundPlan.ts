import { MOST_PARTS, PARTS_AT_ONCE, planParts } from '../exits/plan.ts';
import type { RecipientBalance } from '../http/recipientClient.ts';
import { MOST_WITHDRAWALS } from '../transactions/instructions.ts';
import type { OwnToken } from './tokens.ts';

/** How many parts are asked of a balance at once. */
export type PartsOf = { readonly balance: RecipientBalance; readonly parts: number };

/** How a token's balances leave in a round; amounts in base units. */
export type RoundPlan = {
  readonly size: bigint;
  /** What is asked for, one after the other. */
  readonly from: readonly PartsOf[];
  readonly parts: number;
  readonly total: bigint;
  /** What stays inside. */
  readonly rest: bigint;
};

/**
 * Takes a token's balances apart into equal parts, the largest balance first: all that there are, or no more than an amount. Whoever has parts
 * that wait already gets fewer, as all of them leave together.
 */
export function planRound({ balances }: Pick<OwnToken, 'balances'>, size: bigint, amount: bigint | 'all'): RoundPlan {
  const waiting = balances.flatMap(({ withdrawals }) => withdrawals).filter(({ inRound }) => inRound).length;
  let left = Math.min(MOST_PARTS - waiting, amount === 'all' ? MOST_PARTS : planParts(amount, size).parts);
  const from: PartsOf[] = [];
  for (const balance of [...balances].sort((one, other) => (one.amount < other.amount ? 1 : -1))) {
    const room = MOST_WITHDRAWALS - balance.withdrawals.length;
    const parts = Math.max(0, Math.min(planParts(balance.amount, size).parts, room, left));
    left -= parts;
    for (let asked = 0; asked < parts; asked += PARTS_AT_ONCE) {
      from.push({ balance, parts: Math.min(PARTS_AT_ONCE, parts - asked) });
    }
  }
  const parts = from.reduce((sum, each) => sum + each.parts, 0);
  const total = BigInt(parts) * size;
  return { size, from, parts, total, rest: balances.reduce((sum, each) => sum + each.amount, 0n) - total };
}

/** Why a token has no part to take out: there is nothing, no balance has as much as a part, or no more can wait at a time. */
export type NoPart = 'nothing' | 'below-part' | 'parts-waiting';

export function whyNoPart({ balances }: Pick<OwnToken, 'balances'>, size: bigint): NoPart {
  if (balances.every(({ amount }) => amount === 0n)) return 'nothing';
  return balances.every(({ amount }) => amount < size) ? 'below-part' : 'parts-waiting';
}
