import { NodePool, type NodeTrouble, retryAfterMs, SlotHorizon, type Time, troubleOfCode } from '@payouts/client';
import { SOLANA_ERROR__JSON_RPC__SERVER_ERROR_MIN_CONTEXT_SLOT_NOT_REACHED } from '@solana/kit';
import { RunError } from '../domain/errors.ts';
import type { Ledger } from './ledger.ts';
import { HttpFailure, RpcFailure } from './rpcCall.ts';

const TOO_MANY_REQUESTS = 429;

/** A node's answer is of an older state than another one has shown. */
export class NodeBehind extends Error {
  override readonly name = 'NodeBehind';

  constructor(method: string) {
    super(`${method} was answered by a node that is behind.`);
  }
}

/** Whether a node has refused a call only because it has had too many. */
export const isBusy = (error: unknown): error is HttpFailure =>
  error instanceof HttpFailure && error.status === TOO_MANY_REQUESTS;

/** What a call's failure says of the node; undefined: it has answered, or was not asked. `now`: unix milliseconds. */
function troubleOf(error: unknown, now: number): NodeTrouble | undefined {
  if (error instanceof RpcFailure) return troubleOfCode(error.code);
  if (error instanceof NodeBehind) return { kind: 'behind' };
  if (error instanceof RunError) return undefined;
  if (!isBusy(error)) return { kind: 'down' };
  return { kind: 'busy', retryAfterMs: error.retryAfter === null ? undefined : retryAfterMs(error.retryAfter, now) };
}

/** Whether a node has refused a call only because it has not seen yet what was shown before: it is there in a moment. */
export const isBehind = (error: unknown): boolean =>
  error instanceof NodeBehind ||
  (error instanceof RpcFailure && error.code === SOLANA_ERROR__JSON_RPC__SERVER_ERROR_MIN_CONTEXT_SLOT_NOT_REACHED);

/** The nodes of a ledger, and how far it has shown itself to be: for all that speak to it. */
export class LedgerNodes {
  readonly pool: NodePool;
  /** None of an execution layer, which is one node and may begin anew. */
  readonly horizon: SlotHorizon | undefined;

  /** `urls`: one address, or several that commas separate, the preferred one first. */
  constructor(name: Ledger['name'], urls: string, time: Time) {
    this.pool = new NodePool({ urls: urls.split(','), time, troubleOf: (error) => troubleOf(error, time.now()) });
    this.horizon = name === 'base' ? new SlotHorizon(time) : undefined;
  }
}
