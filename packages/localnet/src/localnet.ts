import { join, resolve } from 'node:path';
import type { Address } from '@solana/kit';
import { VALIDATOR_IDENTITY } from './addresses.ts';
import type { BaseLedgerAdmin } from './baseLedger/admin.ts';
import type { LedgerUrls } from './baseLedger/ownNode.ts';
import { type BaseLedgerOptions, startBaseLedger } from './baseLedger/start.ts';
import { startExecutionLayer } from './executionLayer/start.ts';

/** Of the base ledger's, those that are the same here; `log` is also told what is being prepared, and by `time` both are waited for. */
export interface LocalnetOptions extends Omit<BaseLedgerOptions, 'port'> {
  /** Where all state is kept; a later start goes on from it. */
  readonly directory: string;
  /** The base ledger's RPC port, websocket on the next; left out or 0: any free pair. */
  readonly basePort?: number;
  /** The execution layer's RPC port, websocket on the next; left out or 0: any free pair. */
  readonly layerPort?: number;
  /** The execution layer's metrics port; left out or 0: any free one. */
  readonly metricsPort?: number;
  /** Puts something between: where the execution layer reaches the base ledger, given where its own node of that is. */
  readonly between?: (base: LedgerUrls) => Promise<LedgerUrls>;
}

/** Both ledgers, running. */
export interface Localnet {
  readonly baseRpcUrl: string;
  readonly baseWsUrl: string;
  /** The base ledger by an own node, which has none of the habits of public ones; the execution layer has it, too. */
  readonly ownNode: LedgerUrls;
  readonly layerRpcUrl: string;
  readonly layerWsUrl: string;
  readonly layerMetricsUrl: string;
  /** The validator that accounts are delegated to. */
  readonly validatorIdentity: Address;
  /** What only a localnet's base ledger can do: move time, set accounts, list everything. */
  readonly admin: BaseLedgerAdmin;
  readonly basePid: number;
  /** null while the execution layer is down */
  readonly layerPid: number | null;
  /** Ends the execution layer with a signal; its state stays. */
  killLayer(signal?: NodeJS.Signals): Promise<void>;
  /** Starts the execution layer again on the same ports and state. */
  restartLayer(): Promise<void>;
  /** Stops both; their state stays. */
  stop(): Promise<void>;
}

/** Starts a base ledger and the execution layer on top of it. */
export async function startLocalnet(options: LocalnetOptions): Promise<Localnet> {
  const directory = resolve(options.directory);
  const shared = {
    reset: options.reset ?? false,
    log: options.log ?? (() => {}),
    ...(options.ended && { ended: options.ended }),
    time: options.time,
  };
  const base = await startBaseLedger({
    ...shared,
    directory: join(directory, 'base'),
    port: options.basePort ?? 0,
    programs: options.programs ?? [],
    accounts: options.accounts ?? [],
    habits: options.habits ?? {},
  });
  try {
    // As whoever runs a layer does, on another machine: the validator bears what public nodes do, but here its calls would count as the coordinator's.
    const front = (await options.between?.(base.ownNode)) ?? base.ownNode;
    const layer = await startExecutionLayer({
      ...shared,
      directory: join(directory, 'layer'),
      baseRpcUrl: front.rpcUrl,
      baseWsUrl: front.wsUrl,
      port: options.layerPort ?? 0,
      metricsPort: options.metricsPort ?? 0,
    });
    return {
      baseRpcUrl: base.rpcUrl,
      baseWsUrl: base.wsUrl,
      ownNode: base.ownNode,
      layerRpcUrl: layer.rpcUrl,
      layerWsUrl: layer.wsUrl,
      layerMetricsUrl: layer.metricsUrl,
      validatorIdentity: VALIDATOR_IDENTITY,
      admin: base.admin,
      basePid: base.pid,
      get layerPid() {
        return layer.pid;
      },
      killLayer: (signal = 'SIGKILL') => layer.kill(signal),
      restartLayer: () => layer.restart(),
      stop: async () => {
        // The layer first: it writes to the base ledger until its end.
        await layer.stop();
        await base.stop();
      },
    };
  } catch (error) {
    await base.stop();
    throw error;
  }
}
