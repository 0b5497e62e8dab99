import { findTokenAddress, type Pool } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { ObservedWithdrawal } from '../balances/personal.ts';
import { type BaseLedger, readAccounts } from '../ledger/ledger.ts';
import { tokensIn } from '../ledger/tokenAccount.ts';

/** Of withdrawals those that the base ledger refuses as it is: their wallets have no token account of their own, and for so little none is opened. */
export async function unopened(
  base: BaseLedger,
  { mint, tokenProgram, leastOpening }: Pick<Pool, 'mint' | 'tokenProgram' | 'leastOpening'>,
  withdrawals: readonly ObservedWithdrawal[],
): Promise<ReadonlySet<ObservedWithdrawal>> {
  const small = withdrawals.filter(({ amount }) => amount < leastOpening);
  const wallets = new Map<Address, Address>();
  for (const wallet of new Set(small.map((each) => each.wallet))) {
    wallets.set(await findTokenAddress(wallet, mint, tokenProgram), wallet);
  }
  const opened = new Set<Address>();
  await readAccounts(base, [...wallets.keys()], (address, account) => {
    const wallet = wallets.get(address) as Address;
    if (tokensIn(account, { mint, tokenProgram })?.owner === wallet) opened.add(wallet);
  });
  return new Set(small.filter(({ wallet }) => !opened.has(wallet)));
}
