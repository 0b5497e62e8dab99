import type { Signature } from '@solana/kit';
import { type ConnectionInput, caller, ifKept } from './rpc.ts';

/** A final transaction that succeeded: in which slot, when by the ledger's clock (unix milliseconds; null: not told), and all of its bytes. */
export type Landed = { readonly slot: bigint; readonly time: number | null; readonly transaction: Uint8Array };

/** Looks a transaction up; undefined if the node does not have it any more, or keeps no history. Throws `RunError` ("ledger-unavailable"). */
export type FindLanded = (signature: Signature) => Promise<Landed | undefined>;

type PlainTransaction = {
  readonly slot: number;
  readonly blockTime: number | null;
  readonly meta: { readonly err: unknown } | null;
  readonly transaction: readonly [string, string];
};

/** The base ledger's history behind its RPC, for single transactions. */
export function connectLanded(input: ConnectionInput): FindLanded {
  const { read } = caller('base', input);
  return (signature) => {
    const asked = [signature, { commitment: 'finalized', encoding: 'base64', maxSupportedTransactionVersion: 0 }];
    const found = read('getTransaction', asked, (found: PlainTransaction | null) =>
      found === null ? undefined : landed(found),
    );
    return ifKept<Landed | undefined>(found, undefined);
  };
}

function landed({ slot, blockTime, meta, transaction }: PlainTransaction): Landed | undefined {
  if (meta === null || meta.err !== null) return undefined;
  const time = blockTime === null ? null : blockTime * 1_000;
  return { slot: BigInt(slot), time, transaction: new Uint8Array(Buffer.from(transaction[0], 'base64')) };
}
