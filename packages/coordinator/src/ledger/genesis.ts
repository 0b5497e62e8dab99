import { type ConnectionInput, caller } from './rpc.ts';
import { shared } from './shared.ts';

/** Which ledger the base ledger is: the hash of its first block. Throws `RunError` ("ledger-unavailable"). */
export type ReadGenesis = () => Promise<string>;

/** Asks the base ledger once: it never changes. */
export function connectGenesis(input: ConnectionInput): ReadGenesis {
  const { read } = caller('base', input);
  const ask = () => read('getGenesisHash', [], (hash: string) => hash);
  return shared(Number.POSITIVE_INFINITY, { ask, time: input.time });
}
