import { type OwnedBalance, personalOf } from '@payouts/cli';
import type { Ledgers, Withdrawing } from '@payouts/client';

/** The withdrawals of a balance that are under way, in the order in which they were asked for. */
export async function underWay(
  ledgers: Pick<Ledgers, 'layer'>,
  balance: OwnedBalance,
): Promise<readonly Withdrawing[]> {
  const all = (await personalOf(ledgers, balance))?.withdrawals ?? [];
  return all.filter(({ amount }) => amount !== 0n).sort((one, other) => one.id - other.id);
}
