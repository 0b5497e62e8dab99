import { signRequest, signRequestWithBody, type Time } from '@payouts/client/browser';
import { messageSigner } from '@payouts/pages/session/signers';
import type { ConnectedWallet } from '@payouts/pages/session/wallets';
import { sendAs } from '../api/request.ts';

/**
 * Has the coordinator do what outlasts the session, so that no session may ask for it: the wallet itself signs this one request. Throws
 * `WalletRefused`, `WalletFailed` or `ApiProblem`.
 */
export async function sendAsWallet<T>(
  wallet: ConnectedWallet,
  time: Time,
  method: 'POST' | 'DELETE',
  path: string,
  content?: unknown,
): Promise<T> {
  const request = { signer: messageSigner(wallet), time, method, url: new URL(path, location.origin) };
  if (content === undefined) return sendAs<T>(method, path, await signRequest(request));
  const body = JSON.stringify(content);
  return sendAs<T>(method, path, await signRequestWithBody({ ...request, body }), body);
}
