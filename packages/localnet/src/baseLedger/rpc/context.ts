import type { LocalnetError } from '../../errors.ts';
import type { Cluster } from '../cluster.ts';
import type { Faucet } from '../faucet.ts';
import type { Json } from '../json.ts';
import type { LocalLedger } from '../ledger.ts';
import type { LedgerView } from '../view.ts';
import type { Params } from './params.ts';

/** What the methods work on. */
export interface RpcContext {
  readonly ledger: LocalLedger;
  readonly faucet: Faucet;
  readonly cluster: Cluster;
  /** Ends the process: what the ledger holds and what it wrote down no longer agree. */
  readonly fail: (error: LocalnetError) => void;
}

/** What they work on for one call. */
export interface RpcCall extends RpcContext {
  /** Whether a public node answers. */
  readonly isPublic: boolean;
  /** How far the node that answers is behind the ledger, milliseconds. */
  readonly behindMs: number;
}

/** One JSON-RPC method. */
export type RpcMethod = (call: RpcCall, params: Params) => Json | Promise<Json>;

/** The release whose JSON shapes are followed; clients show it and choose features by it. */
export const API_VERSION = '2.2.0';

/** A value with the slot it was read at, as most of Solana's methods answer. */
export function withContext({ slot }: Pick<LedgerView, 'slot'>, value: Json): Json {
  return { context: { apiVersion: API_VERSION, slot }, value };
}

/** Whether a commitment shows only what is final; Solana's methods take that one unless they are told otherwise. */
export const isFinalized = (commitment: unknown): boolean => commitment === undefined || commitment === 'finalized';

/** What a commitment shows of the ledger, where the node that answers is. */
export function viewAt({ ledger, cluster, behindMs }: RpcCall, commitment: unknown): LedgerView {
  return ledger.view(behindMs + (isFinalized(commitment) ? cluster.habits.finalMs : 0));
}
