import type { Time } from '@payouts/client/browser';
import { walletHeaders } from '@payouts/pages/session/walletHeaders';
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
  const body = content === undefined ? undefined : JSON.stringify(content);
  const request = { method, path, ...(body !== undefined && { body }) };
  return sendAs<T>(method, path, await walletHeaders(wallet, time, request), body);
}
