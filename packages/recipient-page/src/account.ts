import { type FreshWallets, freshWalletsOf, RecipientClient, type Time } from '@payouts/client';
import { isSignedIn, openSealed, type SignedInSession, signatureFor, signOut } from '@payouts/pages/session/session';
import { messageSigner } from '@payouts/pages/session/signers';
import { signInWith } from '@payouts/pages/session/signIn';
import type { ConnectedWallet, PageWallet } from '@payouts/pages/session/wallets';
import { effect, signal } from '@preact/signals';
import { readOwn } from './api.ts';

/** Whoever is signed in: their wallet, and what asks the coordinator in their name. */
export type Account = {
  readonly wallet: ConnectedWallet;
  readonly client: RecipientClient;
  /** Their fresh wallets, in the memory of this tab alone. The first time their wallet signs twice. Throws as signing does, and `ClientError`. */
  readonly freshWallets: () => Promise<FreshWallets>;
};

export const account = signal<Account | undefined>(undefined);

// A session ends by itself, and nothing private stays on the page then.
effect(() => {
  if (!isSignedIn.value) account.value = undefined;
});

/** Signs in with a wallet. Throws `WalletRefused`, `WalletFailed`, `KeysUnsupported` or `ApiFailed`. */
export async function signIn(chosen: PageWallet, time: Time): Promise<void> {
  const wallet = await chosen.connect();
  await signInWith(wallet, { time, ask: async () => JSON.parse(await readOwn('/api/session')) as SignedInSession });
  const session = {
    headers: ({ pathname, search }: URL, body?: string) =>
      signatureFor(body === undefined ? 'GET' : 'POST', `${pathname}${search}`, body),
    open: openSealed,
  };
  const signer = messageSigner(wallet);
  const client = new RecipientClient({ apiUrl: location.origin, signer, session, time });
  let row: FreshWallets | undefined;
  const freshWallets = async () => {
    row ??= await freshWalletsOf(signer);
    return row;
  };
  account.value = { wallet, client, freshWallets };
}

export { signOut };
