import { connect, type Ledgers, patientRpc, type Time } from '@payouts/client';
import { LedgerUnavailable, type PublicDeployment, readDeployment } from './deployment.ts';
import { type Chain, chainOf } from './session/chain.ts';

/** The base ledger, as a page asks it, and what wallets call it. */
export type PageBase = Pick<Ledgers, 'base' | 'time'> & { readonly genesisHash: string; readonly chain: Chain };

/**
 * The base ledger at addresses that browsers may ask, asked with patience where a node has had too many calls. `expected`: the hash of its
 * first block, where it is known. Throws `LedgerUnavailable`.
 */
export async function connectBase(
  urls: readonly string[],
  time: Time,
  expected: string | null = null,
): Promise<PageBase> {
  if (urls.length === 0) {
    throw new LedgerUnavailable(
      'This coordinator does not say where browsers may ask the ledger: its operator sets BROWSER_RPC_URL.',
    );
  }
  const base = patientRpc(urls.join(), time);
  const genesisHash: string = await base
    .getGenesisHash()
    .send()
    .catch((cause: unknown) => {
      throw new LedgerUnavailable(
        `The ledger at ${urls.join(', ')} does not answer this page. Try again in a moment.`,
        {
          cause,
        },
      );
    });
  if (expected !== null && genesisHash !== expected) {
    throw new LedgerUnavailable(
      'The ledger that browsers are sent to is another one than the coordinator’s. Tell its operator.',
    );
  }
  return { base, time, genesisHash, chain: chainOf(genesisHash) };
}

/** Both ledgers of a coordinator's deployment, as a page asks them. */
export type PageLedgers = PageBase & Pick<Ledgers, 'layer'> & { readonly deployment: PublicDeployment };

let connected: Promise<PageLedgers> | undefined;

/** The ledgers of this page's own coordinator, found once. Throws `LedgerUnavailable`. */
export function connectLedgers(time: Time): Promise<PageLedgers> {
  connected ??= connectAll(time).catch((error: unknown) => {
    connected = undefined;
    throw error;
  });
  return connected;
}

async function connectAll(time: Time): Promise<PageLedgers> {
  const deployment = await readDeployment();
  const base = await connectBase(deployment.rpcUrls, time, deployment.genesisHash);
  const [layerRpcUrl] = deployment.layerUrls;
  if (layerRpcUrl === undefined) {
    throw new LedgerUnavailable(
      'This coordinator does not say where browsers may ask the execution layer: its operator sets BROWSER_LAYER_URL.',
    );
  }
  const { layer } = connect({ baseRpcUrl: deployment.rpcUrls.join(), layerRpcUrl }, time);
  return { ...base, layer, deployment };
}
