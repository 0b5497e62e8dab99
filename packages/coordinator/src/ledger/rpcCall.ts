import { Agent, request } from 'undici';

/** Milliseconds for a connection, for the head of an answer, and between two parts of its body. */
const TIMEOUT_MS = 10_000;
/** Connections to all ledgers. A request on them costs a third of what `fetch` takes, which counts at ten calls a window. */
const connections = new Agent({
  connect: { timeout: TIMEOUT_MS },
  headersTimeout: TIMEOUT_MS,
  bodyTimeout: TIMEOUT_MS,
});

/** A call was answered with an HTTP status that is no success; `retryAfter` is the header's value. */
export class HttpFailure extends Error {
  override readonly name = 'HttpFailure';
  readonly status: number;
  readonly retryAfter: string | null;

  constructor(method: string, status: number, retryAfter: string | null) {
    super(`${method} was answered with HTTP ${status}.`);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

type ErrorObject = { readonly code: number; readonly message?: string; readonly data?: unknown };

/** A call was answered with a JSON-RPC error. `said` and `data` are the ledger's own words: they may hold anything. */
export class RpcFailure extends Error {
  override readonly name = 'RpcFailure';
  readonly code: number;
  readonly said: string;
  readonly data: unknown;

  constructor(method: string, { code, message = '', data }: ErrorObject) {
    super(`${method} was answered with error ${code}.`);
    this.code = code;
    this.said = message;
    this.data = data;
  }
}

/**
 * One call of a ledger's RPC, without kit: thousands of accounts are read for a settlement, and kit looks at every number of an
 * answer for being large. Of those asked for here only lamports can be, which are exact up to nine million SOL. And kit drops
 * what a ledger says of a transaction that it refuses.
 *
 * @throws HttpFailure, RpcFailure, and what `request` and `JSON.parse` throw
 */
export async function rpcCall<T>(
  url: string,
  method: string,
  params: readonly unknown[],
  signal: AbortSignal,
): Promise<T> {
  const { statusCode, headers, body } = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal,
    dispatcher: connections,
  });
  if (statusCode < 200 || statusCode > 299) {
    await body.dump();
    const retryAfter = headers['retry-after'];
    throw new HttpFailure(method, statusCode, typeof retryAfter === 'string' ? retryAfter : null);
  }
  const answer = (await body.json()) as { result?: T; error?: ErrorObject } | null;
  if (answer?.error) throw new RpcFailure(method, answer.error);
  if (answer?.result === undefined) throw new Error(`${method} was answered without a result.`);
  return answer.result;
}
