import { delegationHeader, delegationText, type Time } from '@payouts/client/browser';
import type { SignedInSession } from '@payouts/pages/session/session';
import { begin, confirm, pageKeys, signOut } from '@payouts/pages/session/session';
import type { ConnectedWallet } from '@payouts/pages/session/wallets';
import { reconnect } from '../api/live.ts';
import { readPrivate } from '../api/request.ts';
import { pastedDelegation } from './delegation.ts';
import { keepWallet } from './wallet.ts';

/** An hour is the most that a coordinator takes; its clock may be a little behind. */
const LIFE_SECONDS = 3_540;

/** Signs in with a wallet that signs texts. Throws `WalletRefused`, `WalletFailed`, `KeysUnsupported` or `ApiProblem`. */
export async function signInWith(wallet: ConnectedWallet, time: Time): Promise<void> {
  const { address, signMessage } = wallet;
  const keys = await pageKeys();
  const text = delegationText({
    origin: location.origin,
    wallet: address,
    session: keys.signer.address,
    encryption: keys.encryption,
    expires: Math.floor(time.now() / 1_000) + LIFE_SECONDS,
  });
  begin(
    delegationHeader({ text, signature: await signMessage(new TextEncoder().encode(text)) }),
    keys,
    time,
    signMessage,
  );
  await ask();
  keepWallet(wallet);
}

/** Signs in with what `payout sign-in` printed. Throws `NotADelegation`, `KeysUnsupported` or `ApiProblem`. */
export async function signInPasted(pasted: string, time: Time): Promise<void> {
  const keys = await pageKeys();
  begin(pastedDelegation(pasted, { origin: location.origin, session: keys.signer.address, time }), keys, time);
  await ask();
  keepWallet(undefined);
}

/** The coordinator alone says whether a delegation holds, and whether its wallet is an operator's. */
async function ask(): Promise<void> {
  try {
    confirm(await readPrivate<SignedInSession>('/api/session'));
  } catch (error) {
    signOut();
    throw error;
  }
  reconnect();
}
