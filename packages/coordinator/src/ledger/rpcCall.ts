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
 * @throws HttpFailure, RpcFailure, and what `fetch` and `JSON.parse` throw
 */
export async function rpcCall<T>(
  url: string,
  method: string,
  params: readonly unknown[],
  signal: AbortSignal,
): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal,
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new HttpFailure(method, response.status, response.headers.get('retry-after'));
  }
  const answer = (await response.json()) as { result?: T; error?: ErrorObject } | null;
  if (answer?.error) throw new RpcFailure(method, answer.error);
  if (answer?.result === undefined) throw new Error(`${method} was answered without a result.`);
  return answer.result;
}
