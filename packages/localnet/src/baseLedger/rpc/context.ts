import type { Time } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { LocalnetError } from '../../errors.ts';
import type { AccountState } from '../account.ts';
import type { Faucet } from '../faucet.ts';
import type { Json } from '../json.ts';
import type { LocalLedger } from '../ledger.ts';
import type { LimitedNode } from '../nodeLimits.ts';
import type { Params } from './params.ts';

/** What the methods work on. */
export interface RpcContext {
  readonly ledger: LocalLedger;
  readonly faucet: Faucet;
  readonly node: LimitedNode;
  readonly time: Time;
  /** Ends the process: what the ledger holds and what it wrote down no longer agree. */
  readonly fail: (error: LocalnetError) => void;
}

/** One JSON-RPC method. */
export type RpcMethod = (context: RpcContext, params: Params) => Json | Promise<Json>;

/** The release whose JSON shapes are followed; clients show it and choose features by it. */
export const API_VERSION = '2.2.0';

/** A value with the slot it was read at, as most of Solana's methods answer. */
export function withContext(ledger: LocalLedger, value: Json, slot = ledger.slot): Json {
  return { context: { apiVersion: API_VERSION, slot }, value };
}

/** What a commitment shows of the ledger: a slot, and accounts. Solana's methods take `finalized` unless they are told otherwise. */
export function viewAt({ slot, bank, finality }: LocalLedger, commitment: unknown) {
  const isFinal = commitment === undefined || commitment === 'finalized';
  return {
    slot: isFinal ? finality.slot(slot) : slot,
    account(address: Address): AccountState | null {
      const newest = bank.getAccount(address);
      return isFinal ? finality.account(address, newest) : newest;
    },
  };
}
