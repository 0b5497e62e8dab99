import { delegationHeader, delegationText, type Time } from '@payouts/client';
import { begin, confirm, pageKeys, type SignedInSession, signOut } from './session.ts';
import type { ConnectedWallet } from './wallets.ts';

/** An hour is the most that a coordinator takes; its clock may be a little behind. */
const LIFE_SECONDS = 3_540;

/**
 * Signs in with a wallet that signs texts; `ask` reads for whom the coordinator takes the session, and throws where it does not. Throws that,
 * `WalletRefused`, `WalletFailed` or `KeysUnsupported`.
 */
export async function signInWith(
  { address, signMessage }: ConnectedWallet,
  { time, ask }: { readonly time: Time; readonly ask: () => Promise<SignedInSession> },
): Promise<void> {
  const keys = await pageKeys();
  const text = delegationText({
    origin: location.origin,
    wallet: address,
    session: keys.signer.address,
    encryption: keys.encryption,
    expires: Math.floor(time.now() / 1_000) + LIFE_SECONDS,
  });
  const signature = await signMessage(new TextEncoder().encode(text));
  begin(delegationHeader({ text, signature }), keys, time, signMessage);
  await confirmed(ask);
}

/** The coordinator alone says whether a delegation holds; nobody is signed in where it does not. */
export async function confirmed(ask: () => Promise<SignedInSession>): Promise<void> {
  try {
    confirm(await ask());
  } catch (error) {
    signOut();
    throw error;
  }
}
