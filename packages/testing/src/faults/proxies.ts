import type { Localnet } from '@payouts/localnet';
import { FaultProxy } from './proxy.ts';
import type { FaultRule } from './rule.ts';

/** A proxy before each ledger. */
export class FaultProxies {
  private constructor(
    readonly base: FaultProxy,
    readonly layer: FaultProxy,
  ) {}

  /** Stands before both ledgers of a world; every decision follows from the seed. */
  static async start({ localnet }: { readonly localnet: Localnet }, seed: number): Promise<FaultProxies> {
    const { baseRpcUrl, baseWsUrl, layerRpcUrl, layerWsUrl } = localnet;
    return new FaultProxies(
      await FaultProxy.start({ rpcUrl: baseRpcUrl, wsUrl: baseWsUrl }, seed),
      await FaultProxy.start({ rpcUrl: layerRpcUrl, wsUrl: layerWsUrl }, seed + 1),
    );
  }

  /** What a coordinator is set to that speaks through them. */
  get settings(): Record<string, string> {
    return {
      BASE_RPC_URL: this.base.rpcUrl,
      BASE_WS_URL: this.base.subscriptions.url,
      LAYER_RPC_URL: this.layer.rpcUrl,
    };
  }

  /** The same rules for both. */
  set(...rules: readonly FaultRule[]): void {
    this.base.set(...rules);
    this.layer.set(...rules);
  }

  async stop(): Promise<void> {
    await Promise.all([this.base.stop(), this.layer.stop()]);
  }
}
