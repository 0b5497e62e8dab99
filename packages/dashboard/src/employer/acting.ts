import type { EmployerSession } from '@payouts/employer';
import { signedIn } from '@payouts/pages/session/session';
import { transactionSigner } from '@payouts/pages/session/signers';
import type { ConnectedWallet } from '@payouts/pages/session/wallets';
import { useTime } from '@payouts/pages/useTime';
import { type Address, createNoopSigner } from '@solana/kit';
import { type Resource, useResource } from '../api/resource.ts';
import { zonedText } from '../format/zoned.ts';
import { connectedWallet } from '../session/wallet.ts';
import { connectOnce } from './ledgers.ts';

/** Whoever is signed in, as an employer or an approver; without a wallet here, what they do is signed elsewhere. */
export type Acting = EmployerSession & { readonly wallet: ConnectedWallet | undefined };

/** Whoever is signed in, and the ledger that they act on. */
export function useActing(): Resource<Acting> {
  const time = useTime();
  const who = signedIn.value?.wallet;
  const wallet = connectedWallet.value;
  return useResource(
    who === undefined ? undefined : `acting ${who} ${wallet?.name}`,
    async () => {
      const { ledgers, chain } = await connectOnce(time);
      const employer = wallet === undefined ? createNoopSigner(who as Address) : transactionSigner(wallet, chain);
      return { employer, wallet, ledgers, timeText: zonedText };
    },
    { concerns: () => false },
  );
}
