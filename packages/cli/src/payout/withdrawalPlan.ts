import { MOST_WITHDRAWALS, type RecipientBalance } from '@payouts/client';
import { withName } from './amounts.ts';
import { Failure } from './failure.ts';
import type { OwnToken } from './ownTokens.ts';

/** What is taken out of one balance, in base units. */
export type Part = { readonly balance: RecipientBalance; readonly amount: bigint };

/**
 * From which of a token's balances an amount is taken: from one if one has enough, the smallest such; else from the largest first. Each
 * part is a payout of its own. Throws `Failure`: nothing-to-withdraw, withdrawal-pending or insufficient-balance.
 */
export function planWithdrawal(token: OwnToken, amount: bigint | 'all'): Part[] {
  const free = token.balances.filter(
    ({ amount: available, withdrawals }) => available > 0n && withdrawals.length < MOST_WITHDRAWALS,
  );
  const bySize = [...free].sort((one, other) => (one.amount < other.amount ? 1 : -1));
  const held = free.reduce((sum, balance) => sum + balance.amount, 0n);
  const isUnderWay = token.balances.some(({ withdrawals }) => withdrawals.length > 0);
  if (held === 0n || (amount !== 'all' && amount > held)) throw tooLittle(token, held, isUnderWay);
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

function tooLittle(token: OwnToken, held: bigint, isUnderWay: boolean): Failure {
  if (isUnderWay) {
    return new Failure(
      'withdrawal-pending',
      `A withdrawal is under way already${held > 0n ? `, and beside it you can take out ${withName(held, token)}` : ''}. ` +
        'Wait until it is paid (payout balance), or send it elsewhere (payout redirect).',
    );
  }
  if (held === 0n) return new Failure('nothing-to-withdraw', `There is nothing to take out of ${token.name}.`);
  return new Failure('insufficient-balance', `You have ${withName(held, token)}: less than that.`);
}
