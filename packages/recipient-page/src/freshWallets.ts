import { type FreshWallet, findUsed, ownPayouts } from '@payouts/client';
import type { Account } from './account.ts';

/** Those of somebody's fresh wallets that were used, by what the coordinator knows, and the next one; their wallet may have to sign first. */
export async function ownFresh({ client, freshWallets }: Account) {
  const wallets = await freshWallets();
  return { wallets, ...(await findUsed(wallets, await ownPayouts(client))) };
}

/** So many that come next. */
export async function nextFresh(account: Account, count: number): Promise<FreshWallet[]> {
  const { wallets, next } = await ownFresh(account);
  return Promise.all(Array.from({ length: count }, (_, place) => wallets.at(next + place)));
}
