import { randomBytes } from 'node:crypto';
import type { Payee } from '@payouts/client';
import { variedPayees } from '@payouts/testing/wallets';

/** So many payees whom nobody knows; their amounts are random bytes, of which none turn up anywhere by chance: nor do times have as many digits. */
export async function paidOddly(count: number): Promise<Payee[]> {
  const oddAmount = () => BigInt(`0x${randomBytes(5).toString('hex')}`) + 2n ** 47n;
  return (await variedPayees(count, 0n)).map((payee) => ({ ...payee, amount: oddAmount() }));
}
