import { signRequest, signRequestWithBody } from '@payouts/client';
import type { MessagePartialSigner } from '@solana/kit';
import { RequestRefused } from './employer.ts';

/** Where a coordinator is, and with whose key requests are signed. */
export type PrivateApi = { readonly apiUrl: string; readonly signer: MessagePartialSigner };

/** Sends a signed request, with a body in JSON where one is given. Throws `RequestRefused` with the coordinator's own words. */
export async function privateRequest(
  { apiUrl, signer }: PrivateApi,
  path: string,
  { method = 'GET', body }: { readonly method?: 'GET' | 'POST' | 'DELETE'; readonly body?: unknown } = {},
): Promise<Response> {
  const url = `${apiUrl}${path}`;
  const text = body === undefined ? undefined : JSON.stringify(body);
  const response =
    text === undefined
      ? await fetch(url, { method, headers: await signRequest({ signer, method, url }) })
      : await fetch(url, {
          method,
          body: text,
          headers: await signRequestWithBody({ signer, method, url, body: text }),
        });
  if (response.ok) return response;
  const problem = (await response.json().catch(() => ({}))) as { code?: string; detail?: string };
  const detail = problem.detail ?? `The service answered ${response.status}.`;
  throw new RequestRefused(response.status, problem.code ?? 'unknown', detail);
}
