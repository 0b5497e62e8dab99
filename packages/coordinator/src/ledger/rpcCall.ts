import type { Time, Timer } from '@payouts/client';
import type { Dispatcher } from 'undici';
import { boundedAgent } from '../platform/outgoing.ts';

/** Milliseconds for a whole answer from its head on, however it drips. */
const WITHIN_MS = 60_000;
/** Bytes of an answer: every private balance of a layer with half a million of them, which is the longest that is asked for. */
const MOST_BYTES = 256 * 1_024 * 1_024;
/** Bytes of an answer with an HTTP status that is no success; they are not looked at, but its connection can be used again. */
const MOST_FAILED_BYTES = 128 * 1_024;
const HEADERS = { 'content-type': 'application/json' };
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

/** Input of a call beside what it asks; `signal` ends it. */
type CallTerms = { readonly signal: AbortSignal; readonly time: Pick<Time, 'after'> };

/**
 * Posts a call; the whole answer as text. By handlers and not as a stream, which takes about as long again as everything else that is done
 * for a call here, and there are five a window. Throws `HttpFailure`, the signal's reason, and what undici throws.
 */
function post(url: string, method: string, body: string, { signal, time }: CallTerms): Promise<string> {
  const { origin, pathname, search } = new URL(url);
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const parts: Buffer[] = [];
    let bytes = 0;
    let failure: HttpFailure | undefined;
    let late: Timer | undefined;
    let call: Dispatcher.DispatchController | undefined;
    const stop = () => {
      // Before there is a connection, nothing of undici's can be ended.
      reject(signal.reason);
      call?.abort(signal.reason);
    };
    const end = () => {
      late?.cancel();
      signal.removeEventListener('abort', stop);
    };
    signal.addEventListener('abort', stop);
    connections.dispatch(
      { origin, path: pathname + search, method: 'POST', headers: HEADERS, body },
      {
        onRequestStart(controller) {
          call = controller;
          if (signal.aborted) stop();
        },
        onResponseStart(controller, status, headers) {
          // One that only announces another.
          if (status < 200) return;
          late = time.after(WITHIN_MS, () =>
            controller.abort(new DOMException(`${method} was not answered whole in time.`, 'TimeoutError')),
          );
          if (status < 300) return;
          const retryAfter = headers['retry-after'];
          failure = new HttpFailure(method, status, typeof retryAfter === 'string' ? retryAfter : null);
          reject(failure);
        },
        onResponseData(controller, part) {
          bytes += part.length;
          if (failure === undefined) parts.push(part);
          else if (bytes > MOST_FAILED_BYTES) controller.abort(failure);
        },
        onResponseEnd() {
          end();
          resolve(Buffer.concat(parts, bytes).toString());
        },
        onResponseError(_, error) {
          end();
          reject(error);
        },
      },
    );
  });
}

/**
 * One call of a ledger's RPC, without kit: thousands of accounts are read for a settlement, and kit looks at every number of an
 * answer for being large. Of those asked for here only lamports can be, which are exact up to nine million SOL. And kit drops
 * what a ledger says of a transaction that it refuses.
 *
 * @throws HttpFailure, RpcFailure, the signal's reason, and what undici and `JSON.parse` throw
 */
export async function rpcCall<T>(
  url: string,
  method: string,
  params: readonly unknown[],
  terms: CallTerms,
): Promise<T> {
  const text = await post(url, method, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), terms);
  const answer: { result?: T; error?: ErrorObject } | null = JSON.parse(text);
  if (answer?.error) throw new RpcFailure(method, answer.error);
  if (answer?.result === undefined) throw new Error(`${method} was answered without a result.`);
  return answer.result;
}
