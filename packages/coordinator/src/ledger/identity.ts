import type { Address } from '@solana/kit';
import { type ConnectionInput, caller } from './rpc.ts';

/** Which validator a layer is, as it says now. Throws `RunError` ("layer-unavailable"). */
export type ReadIdentity = () => Promise<Address>;

/** Asks the execution layer behind its RPC. */
export function connectIdentity(input: ConnectionInput): ReadIdentity {
  const { read } = caller('layer', input);
  return () => read('getIdentity', [], ({ identity }: { readonly identity: Address }) => identity);
}
