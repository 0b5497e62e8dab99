import { ApiFailed, type PublicPost, type SignedSend, type Time } from '@payouts/client';
import { openSealed, signatureFor } from '@payouts/pages/session/session';
import { walletHeaders } from '@payouts/pages/session/walletHeaders';
import type { ConnectedWallet } from '@payouts/pages/session/wallets';

/** Reads what only whoever is signed in may see, as text. Throws `ApiFailed`. */
export async function readOwn(path: string): Promise<string> {
  return ask(path, { headers: await signatureFor('GET', path) });
}

/** Reads by the session; whatever changes something outlasts it, so the wallet itself signs that. Throws as signing does, and `ApiFailed`. */
export const sendBy =
  (wallet: ConnectedWallet, time: Time): SignedSend =>
  async <T>(method: 'GET' | 'POST' | 'DELETE', path: string, content?: unknown) => {
    if (method === 'GET') return JSON.parse(await readOwn(path)) as T;
    const body = content === undefined ? {} : { body: JSON.stringify(content) };
    const headers = await walletHeaders(wallet, time, { method, path, ...body });
    return JSON.parse(await ask(path, { method, headers, ...body })) as T;
  };

/** Sends what nobody has to sign. Throws `ApiFailed`. */
export const post: PublicPost = async <T>(path: string, content: unknown) => {
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(content) };
  return JSON.parse(await ask(path, request)) as T;
};

async function ask(path: string, request: RequestInit): Promise<string> {
  const response = await fetch(path, { ...request, cache: 'no-store', credentials: 'omit' }).catch((cause: unknown) => {
    throw new ApiFailed('The coordinator does not answer.', { code: 'unreachable', cause });
  });
  const text = await response.text();
  if (response.ok) {
    const isSealed = response.headers.get('content-type')?.startsWith('application/jose') === true;
    return isSealed ? openSealed(text) : text;
  }
  const { code = `http-${response.status}`, detail = `The coordinator answered ${response.status}.` } = problemIn(text);
  throw new ApiFailed(detail, { code, status: response.status });
}

/** A proxy in front answers in its own words. */
function problemIn(text: string): { readonly code?: string; readonly detail?: string } {
  try {
    return JSON.parse(text) as { code?: string; detail?: string };
  } catch {
    return {};
  }
}
