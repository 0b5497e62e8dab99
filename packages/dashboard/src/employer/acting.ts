import type { EmployerSession } from '@payouts/employer';
import { readDeployment } from '@payouts/pages/deployment';
import { connectBase, type PageBase } from '@payouts/pages/ledgers';
import { signedIn } from '@payouts/pages/session/session';
import type { ConnectedWallet } from '@payouts/pages/session/wallets';
import { useTime } from '@payouts/pages/useTime';
import { type Address, createNoopSigner } from '@solana/kit';
import { type Resource, useResource } from '../api/resource.ts';
import { zonedText } from '../format/zoned.ts';
import { connectedWallet } from '../session/wallet.ts';

/** Whoever is signed in, as an employer or an approver; without a wallet here, what they do is signed elsewhere. */
export type Acting = EmployerSession & {
  readonly ledgers: PageBase;
  readonly wallet: ConnectedWallet | undefined;
};

/** Whoever is signed in, and the ledger that they act on. */
export function useActing(): Resource<Acting> {
  const time = useTime();
  const who = signedIn.value?.wallet;
  const wallet = connectedWallet.value;
  return useResource(
    who === undefined ? undefined : `acting ${who} ${wallet?.name}`,
    async () => {
      const { rpcUrls, genesisHash } = await readDeployment();
      const ledgers = await connectBase(rpcUrls, time, genesisHash);
      // Instructions name who signs; the wallet does so when all of them are one transaction.
      return { employer: createNoopSigner(who as Address), wallet, ledgers, timeText: zonedText };
    },
    { concerns: () => false },
  );
}
