import type { RecipientBalance } from '../http/recipientClient.ts';
import { MOST_WITHDRAWALS } from '../transactions/instructions.ts';
import type { OwnToken } from './tokens.ts';

/** What is taken out of one balance, in base units. */
export type Part = { readonly balance: RecipientBalance; readonly amount: bigint };

/** There is less to take out than that, perhaps because as many withdrawals are under way as can be. */
export class TooLittle extends Error {
  override readonly name = 'TooLittle';

  constructor(
    /** Base units that can be taken out. */
    readonly held: bigint,
    readonly isUnderWay: boolean,
  ) {
    super('There is less to take out than that.');
  }
}

/**
 * From which of a token's balances an amount is taken: from one if one has enough, the smallest such; else from the largest first. Each
 * part is a payout of its own. Throws `TooLittle`.
 */
export function planWithdrawal(token: OwnToken, amount: bigint | 'all'): Part[] {
  const free = token.balances.filter(
    ({ amount: available, withdrawals, transfers }) =>
      available > 0n && withdrawals.length + transfers.length < MOST_WITHDRAWALS,
  );
  const bySize = [...free].sort((one, other) => (one.amount < other.amount ? 1 : -1));
  const held = free.reduce((sum, balance) => sum + balance.amount, 0n);
  const isUnderWay = token.balances.some(({ withdrawals }) => withdrawals.length > 0);
  if (held === 0n || (amount !== 'all' && amount > held)) throw new TooLittle(held, isUnderWay);
  if (amount === 'all') return free.map((balance) => ({ balance, amount: balance.amount }));

  const enough = bySize.findLast((balance) => balance.amount >= amount);
  if (enough !== undefined) return [{ balance: enough, amount }];
  const parts: Part[] = [];
  let left = amount;
  for (const balance of bySize) {
    if (balance.amount >= left) return [...parts, { balance, amount: left }];
    parts.push({ balance, amount: balance.amount });
    left -= balance.amount;
  }
  return parts;
}
