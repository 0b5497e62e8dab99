import { signRequest, signRequestWithBody, type Time } from '@payouts/client';
import type { MessagePartialSigner } from '@solana/kit';

/** The coordinator's answer to a request that it refused; status 0: it does not answer. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** Where a coordinator is, and with whose key requests are signed. */
export type PrivateApi = { readonly apiUrl: string; readonly signer: MessagePartialSigner; readonly time: Time };

/** Sends a signed request, with a body in JSON where one is given. Throws `RequestRefused` with the coordinator's own words. */
export async function privateRequest(
  { apiUrl, signer, time }: PrivateApi,
  path: string,
  { method = 'GET', body }: { readonly method?: 'GET' | 'POST' | 'DELETE'; readonly body?: unknown } = {},
): Promise<Response> {
  const url = urlOf(apiUrl, path);
  const text = body === undefined ? undefined : JSON.stringify(body);
  const request =
    text === undefined
      ? { method, headers: await signRequest({ signer, time, method, url }) }
      : { method, body: text, headers: await signRequestWithBody({ signer, time, method, url, body: text }) };
  return accepted(apiUrl, fetch(url, request));
}

/** The same, for what the coordinator answers in JSON. */
export const privateJson = async <T>(...request: Parameters<typeof privateRequest>): Promise<T> =>
  (await (await privateRequest(...request)).json()) as T;

/** A request that needs no signature. Throws `RequestRefused`. */
export const publicRequest = (apiUrl: string, path: string, init?: RequestInit): Promise<Response> =>
  accepted(apiUrl, fetch(urlOf(apiUrl, path), init));

const urlOf = (apiUrl: string, path: string): string => `${apiUrl.replace(/\/+$/, '')}${path}`;

/** What a request found; undefined where the coordinator answers that there is no such thing. Throws `RequestRefused`. */
export async function found<T>(request: Promise<Response>): Promise<T | undefined> {
  try {
    return (await (await request).json()) as T;
  } catch (error) {
    if (error instanceof RequestRefused && error.status === 404) return undefined;
    throw error;
  }
}

async function accepted(apiUrl: string, asked: Promise<Response>): Promise<Response> {
  const response = await asked.catch(() => {
    const sentence = `The coordinator at ${apiUrl} does not answer: is it running, and is that its address?`;
    throw new RequestRefused(0, 'coordinator-unavailable', sentence);
  });
  if (response.ok) return response;
  const problem = (await response.json().catch(() => ({}))) as { code?: string; title?: string; detail?: string };
  const detail = problem.detail ?? problem.title ?? `The coordinator answered ${response.status}.`;
  throw new RequestRefused(response.status, problem.code ?? 'unknown', detail);
}
