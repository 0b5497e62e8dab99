import type { Time } from '@payouts/client';
import { request } from 'undici';
import { boundedAgent } from '../platform/outgoing.ts';
import { withTimeout } from '../platform/withTimeout.ts';

/** Milliseconds for a whole answer, however it drips. */
const WITHIN_MS = 60_000;
/** Bytes of an answer: every private balance of a layer with half a million of them, which is the longest that is asked for. */
const MOST_BYTES = 256 * 1_024 * 1_024;
/** Connections to all ledgers. A request on them costs a third of what `fetch` takes, which counts at ten calls a window. */
const connections = boundedAgent(MOST_BYTES);

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
  { signal, time }: { readonly signal: AbortSignal; readonly time: Pick<Time, 'pause'> },
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
  const answer = await withTimeout(time, WITHIN_MS, body.json() as Promise<{ result?: T; error?: ErrorObject } | null>);
  if (answer === undefined) {
    body.destroy();
    throw new DOMException(`${method} was not answered whole in time.`, 'TimeoutError');
  }
  if (answer?.error) throw new RpcFailure(method, answer.error);
  if (answer?.result === undefined) throw new Error(`${method} was answered without a result.`);
  return answer.result;
}
