import { findConfigAddress } from '@payouts/client';
import type { Address, MessagePartialSigner, TransactionPartialSigner } from '@solana/kit';
import { loadAuthority, loadRelay } from '../config/keys.ts';
import { sessionOf, trustOf } from '../ledger/attestation/settings.ts';
import type { LayerTrust } from '../ledger/attestation/trust.ts';
import { LedgerClock } from '../ledger/clock.ts';
import { coalesced } from '../ledger/coalesce.ts';
import { connectFeeSource, FeeBidder } from '../ledger/feeBidder.ts';
import { connectGenesis, type ReadGenesis } from '../ledger/genesis.ts';
import { connectHistory, type LedgerHistory } from '../ledger/history.ts';
import { connectIdentity, type ReadIdentity } from '../ledger/identity.ts';
import { connectLanded } from '../ledger/landed.ts';
import type { BaseLedger, ExecutionLayer } from '../ledger/ledger.ts';
import { LedgerNodes } from '../ledger/nodes.ts';
import { ReadPermissions } from '../ledger/readPermissions.ts';
import { connectBase, connectLayer } from '../ledger/rpc.ts';
import { Silence, type Silences } from '../ledger/silence.ts';
import type { Runtime } from './runtime.ts';

/** The two ledgers, and how this service speaks to them. */
export type ConnectedLedgers = {
  readonly program: Address;
  /** The program's config account. */
  readonly config: Address;
  readonly authority: TransactionPartialSigner & MessagePartialSigner;
  /** Pays the fees of transfers from fresh wallets; undefined: nobody does. */
  readonly relay: TransactionPartialSigner | undefined;
  readonly base: BaseLedger;
  readonly history: LedgerHistory;
  readonly readGenesis: ReadGenesis;
  readonly landed: ReturnType<typeof connectLanded>;
  readonly fees: FeeBidder;
  readonly layer: ExecutionLayer;
  readonly layerIdentity: ReadIdentity;
  readonly trust: LayerTrust;
  readonly permissions: ReadPermissions;
  readonly clock: LedgerClock;
  readonly silences: Silences;
};

/** Connects both ledgers; nothing is sent yet. Throws `SettingsError` if the authority's key can't be had. */
export async function connectLedgers({ settings, time, log, metrics, lifecycle }: Runtime): Promise<ConnectedLedgers> {
  const signal = lifecycle.stopping;
  const authority = await loadAuthority(settings, time);
  const program = settings.programAddress;
  const config = await findConfigAddress({ programAddress: program });
  const silences = { base: new Silence(time), layer: new Silence(time) };
  const nodes = new LedgerNodes('base', settings.baseRpcUrl, time);
  metrics.beforeScrape(async () => metrics.ledgerNodesAvoided.set(nodes.pool.inTrouble));
  const toBase = { url: settings.baseRpcUrl, nodes, time, signal, metrics, silence: silences.base };
  const base = coalesced(connectBase(toBase), { time, metrics });
  const session = sessionOf(settings, { authority, time, signal });
  const toLayer = { url: settings.layerRpcUrl, time, signal, metrics, session, silence: silences.layer };
  const layer = coalesced(connectLayer(toLayer), { time, metrics });
  return {
    program,
    config,
    authority,
    relay: await loadRelay(settings, time),
    base,
    history: connectHistory(toBase),
    readGenesis: connectGenesis(toBase),
    landed: connectLanded(toBase),
    fees: new FeeBidder({
      source: connectFeeSource(toBase),
      policy: { floor: BigInt(settings.priorityFeeFloor), cap: BigInt(settings.priorityFeeCap) },
      time,
      metrics,
    }),
    layer,
    layerIdentity: connectIdentity(toLayer),
    trust: trustOf(settings, { base, config, time, signal, log, metrics }),
    permissions: new ReadPermissions({ layer, connection: toLayer }),
    clock: new LedgerClock(time),
    silences,
  };
}
