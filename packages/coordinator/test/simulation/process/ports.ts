import type { Random } from '@payouts/testing/random';
import type { Address, Base64EncodedWireTransaction, Signature } from '@solana/kit';
import type { BaseLedger, Commitment, ExecutionLayer, Ledger, MemcmpFilter } from '../../../src/ledger/ledger.ts';
import type { LiabilityStore } from '../../../src/store/liabilityStore.ts';
import type { Events } from '../events.ts';
import type { Chain } from '../ledgers/chain.ts';
import type { Ledgers } from '../ledgers/ledgers.ts';
import type { Life } from './life.ts';
import type { Weather } from './weather.ts';

export type LedgerPortInput = {
  readonly life: Life;
  readonly ledgers: Ledgers;
  readonly events: Events;
  readonly random: Random;
  readonly weather: Weather;
  /** Hears of bytes as they leave the process. */
  readonly onSend: (ledger: Ledger['name'], wire: string) => void;
};

/** Milliseconds at most until bytes that are delivered twice come again, and for which a fork is seen. */
const AGAIN_MS = 4_000;
const FORK_MS = 1_500;

/** Both ledgers as one process reaches them, in all weathers. */
export function ledgerPorts(input: LedgerPortInput): { readonly base: BaseLedger; readonly layer: ExecutionLayer } {
  const { ledgers } = input;
  return {
    base: { name: 'base', ...callsOf(input, ledgers.base) },
    layer: { name: 'layer', ...callsOf(input, ledgers.layer) },
  };
}

function callsOf(input: LedgerPortInput, chain: Chain): Omit<Ledger, 'name'> {
  const { life, ledgers, events, random, weather, onSend } = input;
  const part = chain.name;
  return {
    accounts: (addresses: readonly Address[], commitment: Commitment = 'confirmed') =>
      life.call(part, ({ lag }) => ledgers.accounts(chain, addresses, { commitment, lagMs: lag })),
    programAccounts: (_: Address, holding: readonly MemcmpFilter[]) =>
      life.call(part, ({ lag }) => ledgers.programAccounts(chain, holding, lag)),
    lifetime: () => life.call(part, ({ lag }) => ledgers.lifetime(chain, lag)),
    blockHeight: () => life.call(part, ({ lag }) => ledgers.blockHeight(chain, lag)),
    statuses: (signatures: readonly Signature[]) =>
      life.call(part, ({ lag }) => signatures.map((signature) => ledgers.status(chain, signature, lag))),
    send(wire: Base64EncodedWireTransaction) {
      onSend(part, wire);
      return life.call(part, ({ lag }) => {
        const answer = ledgers.send(chain, wire, lag);
        if (answer.kind === 'refused') return answer;
        if (weather.toBytes('doubled')) events.after(random.below(AGAIN_MS), () => ledgers.send(chain, wire));
        if (chain === ledgers.base && weather.toBytes('forked')) ledgers.showOnFork(wire, random.below(FORK_MS));
        return answer;
      });
    },
  };
}

/** A store as one process reaches it: each call of it in all weathers. */
export function storePort<Store extends object>(life: Life, store: Store): Store {
  const port: Record<string, unknown> = {};
  for (const [name, method] of Object.entries(store)) {
    const ask = method as (...input: unknown[]) => unknown;
    port[name] = (...given: unknown[]) => life.call('database', () => ask(...given));
  }
  return port as Store;
}

/** The same for a recorder's store, which hands chunks out one after the other. */
export function liabilityStorePort(life: Life, store: LiabilityStore): LiabilityStore {
  return {
    ...storePort(life, store),
    async *readChunks(at) {
      yield* await life.call('database', async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of store.readChunks(at)) chunks.push(chunk);
        return chunks;
      });
    },
  };
}
