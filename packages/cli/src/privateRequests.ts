import { signRequest } from '@payouts/client';
import type { MessagePartialSigner } from '@solana/kit';
import { RequestRefused } from './employer.ts';

/** Where a coordinator is, and with whose key requests are signed. */
export type PrivateApi = { readonly apiUrl: string; readonly signer: MessagePartialSigner };

/** Sends a signed request. Throws `RequestRefused` with the coordinator's own words. */
export async function privateRequest({ apiUrl, signer }: PrivateApi, path: string): Promise<Response> {
  const url = `${apiUrl}${path}`;
  const response = await fetch(url, { headers: await signRequest({ signer, url }) });
  if (response.ok) return response;
  const problem = (await response.json().catch(() => ({}))) as { code?: string; detail?: string };
  throw new RequestRefused(
    response.status,
    problem.code ?? 'unknown',
    problem.detail ?? `The service answered ${response.status}.`,
  );
}
