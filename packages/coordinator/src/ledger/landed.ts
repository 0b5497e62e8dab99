import type { Signature } from '@solana/kit';
import { type ConnectionInput, caller, ifKept } from './rpc.ts';

/** A final transaction that succeeded: in which slot, and all of its bytes. */
export type Landed = { readonly slot: bigint; readonly transaction: Uint8Array };

/** Looks a transaction up; undefined if the node does not have it any more, or keeps no history. Throws `RunError` ("ledger-unavailable"). */
export type FindLanded = (signature: Signature) => Promise<Landed | undefined>;

type PlainTransaction = {
  readonly slot: number;
  readonly meta: { readonly err: unknown } | null;
  readonly transaction: readonly [string, string];
};

/** The base ledger's history behind its RPC, for single transactions. */
export function connectLanded(input: ConnectionInput): FindLanded {
  const { read } = caller('base', input);
  return (signature) => {
    const asked = [signature, { commitment: 'finalized', encoding: 'base64', maxSupportedTransactionVersion: 0 }];
    const found = read('getTransaction', asked, (found: PlainTransaction | null) =>
      found === null || found.meta?.err !== null
        ? undefined
        : { slot: BigInt(found.slot), transaction: new Uint8Array(Buffer.from(found.transaction[0], 'base64')) },
    );
    return ifKept<Landed | undefined>(found, undefined);
  };
}
