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
import { patientTransport } from './patientTransport.ts';
import type { SendingOptions } from './sendingOptions.ts';
import type { SlotHorizon } from './slotHorizon.ts';

/** RPC of both ledgers, the time by which they are waited for, and how transactions are sent to the base ledger. */
export interface Ledgers {
  readonly base: Rpc<SolanaRpcApi>;
  readonly layer: Rpc<SolanaRpcApi>;
  readonly time: Time;
  readonly sending?: SendingOptions;
}

/** What of them is needed to send to the base ledger. */
export type BaseConnection = Pick<Ledgers, 'base' | 'time' | 'sending'>;

/**
 * The base ledger behind one or several nodes, the preferred one first; commas separate their addresses. Where one is down, behind, busy
 * or does not offer a call, the next is asked; while all of them are, the call is made again for a minute. What one has shown is not
 * answered by another that is behind. `horizon`: what it has shown before, and is to be known afterwards.
 */
export const patientRpc = (urls: string, time: Time, horizon?: SlotHorizon): Rpc<SolanaRpcApi> =>
  createSolanaRpcFromTransport(
    patientTransport(
      urls.split(',').map((url) => url.trim()),
      { time, horizon, transportOf: (url) => createDefaultRpcTransport({ url }) },
    ),
  );

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
