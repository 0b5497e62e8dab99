import { repeated, type SignedSend, signRequest, signRequestWithBody, type Time } from '@payouts/client';
import type { Ask } from '@payouts/statements';
import type { MessagePartialSigner } from '@solana/kit';

/** The coordinator's answer to a request that it refused; status 0: it does not answer. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** Milliseconds after which it may be sent again, where the coordinator says so. */
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}

/** Milliseconds until something is asked again where the coordinator doesn't say how long; at random up to twice as long. */
const AGAIN_MS = 1_000;
/** Milliseconds for which a coordinator that does not answer is asked again. */
const PATIENCE_MS = 60_000;
/** The coordinator has too much to do: it did not get to the request in time, or takes no more for now. */
const BUSY: readonly number[] = [408, 429];
const SERVER_ERROR = 500;
const UNAVAILABLE = 503;

/** Whether a request may be answered otherwise a moment later: the coordinator did not answer, or has too much to do. */
export const mayPass = (error: unknown): error is RequestRefused =>
  error instanceof RequestRefused &&
  (error.status === 0 || BUSY.includes(error.status) || error.status >= SERVER_ERROR);

/** Whether the coordinator has said that it can't answer now. */
const isUnavailable = (error: unknown): boolean => error instanceof RequestRefused && error.status === UNAVAILABLE;

/** Milliseconds to wait before something is asked again: as long as the coordinator asks for, at least. */
export const pauseMs = (time: Time, refused?: RequestRefused): number =>
  Math.max(refused?.retryAfterMs ?? 0, AGAIN_MS) + time.random() * AGAIN_MS;

/** Asks until there is an answer: as often as the coordinator allows, and for so many milliseconds if there is none. Throws `RequestRefused`. */
export async function patiently<T>(time: Time, ask: () => Promise<T>, patienceMs = PATIENCE_MS): Promise<T> {
  const began = time.monotonic();
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!mayPass(error)) throw error;
      if (!BUSY.includes(error.status) && time.monotonic() - began >= patienceMs) throw error;
      await time.pause(pauseMs(time, error));
    }
  }
}

/** Where a coordinator is, and with whose key requests are signed. */
export type PrivateApi = { readonly apiUrl: string; readonly signer: MessagePartialSigner; readonly time: Time };

/** Sends a signed request, with a body in JSON where one is given; a read a few times, if it can't be answered now. Throws `RequestRefused` with the coordinator's own words. */
export async function privateRequest(
  { apiUrl, signer, time }: PrivateApi,
  path: string,
  { method = 'GET', body }: { readonly method?: 'GET' | 'POST' | 'DELETE'; readonly body?: unknown } = {},
): Promise<Response> {
  const url = urlOf(apiUrl, path);
  if (body !== undefined) {
    const text = JSON.stringify(body);
    const headers = await signRequestWithBody({ signer, time, method, url, body: text });
    return accepted(apiUrl, fetch(url, { method, body: text, headers }));
  }
  const send = async () =>
    accepted(apiUrl, fetch(url, { method, headers: await signRequest({ signer, time, method, url }) }));
  return method === 'GET' ? repeated(time, send, isUnavailable) : send();
}

/** The same, for what the coordinator answers in JSON. */
export const privateJson = async <T>(...request: Parameters<typeof privateRequest>): Promise<T> =>
  (await (await privateRequest(...request)).json()) as T;

/** Reads signed, as often as the coordinator allows, and patiently where it does not answer. Its reads throw `RequestRefused`. */
export const askOf =
  (api: PrivateApi): Ask =>
  <T>(path: string) =>
    patiently(api.time, () => privateJson<T>(api, path));

/** Sends as whoever has the key. Its requests throw `RequestRefused`. */
export const sendAs =
  (api: PrivateApi): SignedSend =>
  <T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) =>
    privateJson<T>(api, path, { method, body });

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

/** The refusal of a coordinator that does not answer, or breaks off. */
export const unanswered = (apiUrl: string): RequestRefused =>
  new RequestRefused(
    0,
    'coordinator-unavailable',
    `The coordinator at ${apiUrl} does not answer: is it running, and is that its address?`,
  );

async function accepted(apiUrl: string, asked: Promise<Response>): Promise<Response> {
  const response = await asked.catch(() => {
    throw unanswered(apiUrl);
  });
  if (response.ok) return response;
  const problem = (await response.json().catch(() => ({}))) as { code?: string; title?: string; detail?: string };
  const detail = problem.detail ?? problem.title ?? `The coordinator answered ${response.status}.`;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1_000 : undefined;
  throw new RequestRefused(response.status, problem.code ?? 'unknown', detail, retryAfterMs);
}
