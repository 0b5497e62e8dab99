import type { Address } from '@solana/kit';
import type { RecipientBalance, RecipientBalances, WithdrawalUnderWay } from '../http/recipientClient.ts';

/** What a withdrawal goes through, in words. */
export const WITHDRAWAL_STEPS = ['asked for', 'recorded', 'paid'] as const;
export type WithdrawalStep = (typeof WITHDRAWAL_STEPS)[number];

const reachedBy = (state: WithdrawalUnderWay['state']): number =>
  state === 'waiting' || state === 'requested' ? 0 : state === 'paid' ? 2 : 1;

/** Withdrawals that were just asked for, one of each of these balances, where these were under way before. */
export type Watched = ReadonlyMap<Address, readonly WithdrawalUnderWay[]>;

/** What is under way of these balances. */
export const watchedFrom = (balances: readonly RecipientBalance[]): Watched =>
  new Map(balances.map(({ address, withdrawals }) => [address, withdrawals]));

/** How far what was asked for is: the slowest counts. What is no longer under way is paid. */
export function stepOf({ balances }: Pick<RecipientBalances, 'balances'>, of: Watched): WithdrawalStep {
  const steps = balances.flatMap(({ address, withdrawals }) => {
    const before = of.get(address);
    if (before === undefined) return [];
    const isNew = (each: WithdrawalUnderWay) => !before.some((known) => isSame(known, each));
    return withdrawals.filter(isNew).map(({ state }) => reachedBy(state));
  });
  return WITHDRAWAL_STEPS[Math.min(WITHDRAWAL_STEPS.length - 1, ...steps)] as WithdrawalStep;
}

/** Ids begin anew when a balance's last withdrawal was paid; numbers never. */
const isSame = (known: WithdrawalUnderWay, now: WithdrawalUnderWay): boolean =>
  known.id === now.id && (known.number === null || known.number === now.number);
