import type { Address } from '@solana/kit';
import { type ConnectionInput, caller } from './rpc.ts';
import { shared } from './shared.ts';

/** Which validator a layer is, as it said a moment ago. Throws `RunError` ("layer-unavailable"). */
export type ReadIdentity = () => Promise<Address>;

/** Milliseconds for which an answer serves others, too: every window asks before it is opened. */
const LIFETIME_MS = 250;

/** Asks the execution layer behind its RPC. */
export function connectIdentity(input: ConnectionInput): ReadIdentity {
  const { read } = caller('layer', input);
  const ask = () => read('getIdentity', [], ({ identity }: { readonly identity: Address }) => identity);
  return shared(LIFETIME_MS, { ask, time: input.time });
}
