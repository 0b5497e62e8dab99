import type { Time } from '@payouts/client/browser';
import { begin, pageKeys, type SignedInSession } from '@payouts/pages/session/session';
import { confirmed, signInWith } from '@payouts/pages/session/signIn';
import type { ConnectedWallet } from '@payouts/pages/session/wallets';
import { reconnect } from '../api/live.ts';
import { readPrivate } from '../api/request.ts';
import { watchBook } from '../book/book.ts';
import { pastedDelegation } from './delegation.ts';
import { keepWallet } from './wallet.ts';

// Names come up for whoever is signed in: nobody else loads what opens them.
watchBook();

/** The coordinator says as well whether the wallet is an operator's. */
const ask = () => readPrivate<SignedInSession>('/api/session');

/** Signs in with a wallet that signs texts. Throws `WalletRefused`, `WalletFailed`, `KeysUnsupported` or `ApiProblem`. */
export async function signInByWallet(wallet: ConnectedWallet, time: Time): Promise<void> {
  await signInWith(wallet, { time, ask });
  keepWallet(wallet);
  reconnect();
}

/** Signs in with what `payout sign-in` printed. Throws `NotADelegation`, `KeysUnsupported` or `ApiProblem`. */
export async function signInPasted(pasted: string, time: Time): Promise<void> {
  const keys = await pageKeys();
  begin(pastedDelegation(pasted, { origin: location.origin, session: keys.signer.address, time }), keys, time);
  await confirmed(ask);
  keepWallet(undefined);
  reconnect();
}
