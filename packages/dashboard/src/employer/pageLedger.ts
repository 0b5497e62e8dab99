import type { Time } from '@payouts/client/browser';
import { readDeployment } from '@payouts/pages/deployment';
import { connectBase, type PageBase } from '@payouts/pages/ledgers';

/** The base ledger where the coordinator says that browsers may ask it, seen to be its own. Throws `LedgerUnavailable`. */
export async function connectPage(time: Time): Promise<PageBase> {
  const { rpcUrls, genesisHash } = await readDeployment();
  return connectBase(rpcUrls, time, genesisHash);
}
