import {
  createDefaultRpcTransport,
  createSolanaRpc,
  createSolanaRpcFromTransport,
  isSolanaError,
  type Rpc,
  type RpcTransport,
  SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR,
  type SolanaRpcApi,
} from '@solana/kit';
import type { Time } from '../time.ts';
import { type LayerGuest, LayerSession, signInToLayer } from './layerSession.ts';
import { whileBusy } from './nodeTrouble.ts';

/** RPC of both ledgers, and the time by which they are waited for. */
export interface Ledgers {
  readonly base: Rpc<SolanaRpcApi>;
  readonly layer: Rpc<SolanaRpcApi>;
  readonly time: Time;
}

/**
 * A ledger whose calls are made again while its node is busy (HTTP 429, 5xx), for a minute at most. A transaction is not handed over
 * twice: `sendToBase` and `sendToLayer` know what that means.
 */
export function patientRpc(url: string, time: Time): Rpc<SolanaRpcApi> {
  const transport = createDefaultRpcTransport({ url });
  return createSolanaRpcFromTransport(<T>(input: Parameters<RpcTransport>[0]) => {
    const isSending = (input.payload as { readonly method?: string }).method === 'sendTransaction';
    return isSending ? transport<T>(input) : whileBusy(() => transport<T>(input), time);
  });
}

/** Connects to the base ledger and the execution layer; a program gives its `systemTime`. */
export const connect = (urls: { readonly baseRpcUrl: string; readonly layerRpcUrl: string }, time: Time): Ledgers => ({
  base: patientRpc(urls.baseRpcUrl, time),
  layer: createSolanaRpc(urls.layerRpcUrl),
  time,
});

/** Connects to the base ledger and a private execution layer, signed in as a guest who is shown what is theirs. */
export function connectPrivately(
  urls: { readonly baseRpcUrl: string; readonly layerRpcUrl: string },
  guest: LayerGuest,
  time: Time,
): Ledgers {
  const { layerRpcUrl } = urls;
  const session = new LayerSession({
    signIn: () => signInToLayer(layerRpcUrl, guest, { time }),
    time,
    isRefused: isRefusedToken,
  });
  const transport: RpcTransport = <T>(input: Parameters<RpcTransport>[0]) =>
    session.within(layerRpcUrl, (url) => createDefaultRpcTransport({ url })<T>(input));
  return { base: patientRpc(urls.baseRpcUrl, time), layer: createSolanaRpcFromTransport(transport), time };
}

/** Connects to an execution layer, signed in where it lets nobody in otherwise. Throws `SignInFailed`. */
export async function connectToLayer(url: string, guest: LayerGuest, time: Time): Promise<Ledgers['layer']> {
  const open = createSolanaRpc(url);
  try {
    await open.getLatestBlockhash().send();
    return open;
  } catch (error) {
    if (!isRefusedToken(error)) throw error;
    const { layer } = connectPrivately({ baseRpcUrl: url, layerRpcUrl: url }, guest, time);
    // Signs in now, so that whoever is not let in is told before anything is asked for.
    await layer.getLatestBlockhash().send();
    return layer;
  }
}

/** HTTP statuses by which a layer refuses a token. */
const REFUSED: readonly number[] = [401, 403];

const isRefusedToken = (error: unknown): boolean =>
  isSolanaError(error, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR) && REFUSED.includes(error.context.statusCode);
