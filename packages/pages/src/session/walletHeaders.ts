import { signRequest, signRequestWithBody, type Time } from '@payouts/client/browser';
import { messageSigner } from './signers.ts';
import type { ConnectedWallet } from './wallets.ts';

/** A request that changes something. */
export type ChangeRequest = { readonly method: 'POST' | 'DELETE'; readonly path: string; readonly body?: string };

/** Headers of a request that outlasts the session, so that the wallet itself signs it. Throws `WalletRefused` or `WalletFailed`. */
export async function walletHeaders(
  wallet: ConnectedWallet,
  time: Time,
  { method, path, body }: ChangeRequest,
): Promise<Readonly<Record<string, string>>> {
  const request = { signer: messageSigner(wallet), time, method, url: new URL(path, location.origin) };
  return body === undefined ? signRequest(request) : signRequestWithBody({ ...request, body });
}
