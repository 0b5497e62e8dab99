import { randomBytes } from 'node:crypto';
import { payeesWithKeys } from '@payouts/testing/wallets';

/** So many payees with keys of their own, by address; their amounts are random bytes, of which none turn up anywhere by chance. */
export async function paidOddly(count: number): ReturnType<typeof payeesWithKeys> {
  const { payees, signers } = await payeesWithKeys(count, 0n);
  const oddAmount = () => BigInt(`0x${randomBytes(5).toString('hex')}`) + 2n ** 40n;
  return { payees: payees.map((payee) => ({ ...payee, amount: oddAmount() })), signers };
}
