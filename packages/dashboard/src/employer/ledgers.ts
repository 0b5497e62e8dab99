import { type BaseConnection, patientRpc, type Time } from '@payouts/client';
import { Failure } from '@payouts/employer';
import { type Chain, chainOf } from '@payouts/pages/session/chain';
import { read } from '../api/request.ts';
import type { Deployment } from '../api/types.ts';

/** The base ledger as this page reaches it, and what it is told of the deployment. */
export type PageLedger = {
  readonly ledgers: BaseConnection;
  readonly chain: Chain;
  readonly deployment: Deployment;
};

let connected: Promise<PageLedger> | undefined;

/** The base ledger, connected when it is first needed. Throws `Failure` ledger-unnamed, or `ApiProblem`. */
export function connectOnce(time: Time): Promise<PageLedger> {
  connected ??= connect(time).catch((error: unknown) => {
    connected = undefined;
    throw error;
  });
  return connected;
}

async function connect(time: Time): Promise<PageLedger> {
  const deployment = await read<Deployment>('/api/deployment');
  if (deployment.rpcUrls.length === 0) {
    throw new Failure(
      'ledger-unnamed',
      'This coordinator names no ledger that browsers may ask, so this page can only show. Whoever runs it names one in BROWSER_RPC_URL.',
    );
  }
  const base = patientRpc(deployment.rpcUrls.join(','), time);
  const genesisHash = deployment.genesisHash ?? (await base.getGenesisHash().send());
  return { ledgers: { base, time }, chain: chainOf(genesisHash), deployment };
}
