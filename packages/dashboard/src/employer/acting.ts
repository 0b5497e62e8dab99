import { type EmployerSession, readTreasury, type Treasury } from '@payouts/employer';
import type { PageBase } from '@payouts/pages/ledgers';
import { signedIn } from '@payouts/pages/session/session';
import type { ConnectedWallet } from '@payouts/pages/session/wallets';
import { useTime } from '@payouts/pages/useTime';
import { type Address, createNoopSigner } from '@solana/kit';
import { type Resource, useResource } from '../api/resource.ts';
import { zonedText } from '../format/zoned.ts';
import { connectedWallet } from '../session/wallet.ts';
import { chosenTreasury } from './chosenTreasury.ts';
import { connectPage } from './pageLedger.ts';

/** Whoever is signed in, as an employer or an approver; without a wallet here, what they do is signed elsewhere. */
export type Acting = EmployerSession & {
  readonly ledgers: PageBase;
  readonly wallet: ConnectedWallet | undefined;
  /** Whose key signs: the employer's own, or that of a treasury's member. */
  readonly signer: Address;
  /** The treasury that is the employer: what would be done is proposed to its members. Undefined: the signer is the employer. */
  readonly treasury: Treasury | undefined;
};

/** Whoever is signed in, or the treasury that they act for, and the ledger that they act on. */
export function useActing(): Resource<Acting> {
  const time = useTime();
  const who = signedIn.value?.wallet;
  const wallet = connectedWallet.value;
  const chosen = chosenTreasury.value;
  return useResource(
    who === undefined ? undefined : `acting ${who} ${wallet?.name} ${chosen?.employer}`,
    async () => {
      const ledgers = await connectPage(time);
      const treasury = chosen && (await readTreasury(ledgers, chosen.multisig, chosen.vaultIndex));
      const signer = who as Address;
      // Instructions name who signs; the wallet does so when all of them are one transaction.
      const employer = createNoopSigner(treasury?.employer ?? signer);
      return { employer, signer, treasury, wallet, ledgers, timeText: zonedText };
    },
    { concerns: () => false },
  );
}

/** The same person, for themselves. */
export const asThemselves = (acting: Acting): Acting => ({
  ...acting,
  employer: createNoopSigner(acting.signer),
  treasury: undefined,
});
