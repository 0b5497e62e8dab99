import {
  BATCH_KIND,
  BatchPhase,
  BITMAP_PAGE_KIND,
  getBatchDecoder,
  getBatchEncoder,
  getBitmapPageDecoder,
  getBitmapPageEncoder,
} from '@payouts/client';
import type { State } from '@payouts/testing/litesvm/ledger';
import type { BaseLedger, ExecutionLayer, LedgerAccount } from '../../src/ledger/ledger.ts';
import type { BalanceStore } from '../../src/store/balanceStore.ts';
import type { LiabilityStore } from '../../src/store/liabilityStore.ts';
import type { RunStore } from '../../src/store/runStore.ts';

/** A mistake planted into the coordinators or the ledger, which the simulator must find. */
export type Bug = {
  /** What it does, for people. */
  readonly about: string;
  readonly base?: (base: BaseLedger) => BaseLedger;
  readonly layer?: (layer: ExecutionLayer) => ExecutionLayer;
  readonly runStore?: (store: RunStore) => RunStore;
  readonly liabilityStore?: (store: LiabilityStore) => LiabilityStore;
  readonly balanceStore?: (store: BalanceStore) => BalanceStore;
  /** Nothing is known of what a run has sent before. */
  readonly forgetsSent?: true;
  /** What the layer makes of a claim's accounts before it. */
  readonly beforeClaim?: (account: State) => State;
};

/** Bytes are kept only after they have been sent for a while. */
function late(store: RunStore): RunStore {
  let lastId = -1;
  return {
    ...store,
    keepTransaction: async ({ signature, wire, last_valid_block_height }) => ({
      ...{ id: lastId--, signature, wire, isNew: true },
      last_valid_block_height: String(last_valid_block_height),
    }),
    settleTransaction: async (id, outcome) => {
      if (id > 0) await store.settleTransaction(id, outcome);
    },
  };
}

/** An open batch, or a page of its bitmap, as if nobody had been paid. */
function unpaid<T extends LedgerAccount | null>(account: T): T {
  if (account?.data[0] === BITMAP_PAGE_KIND) {
    const page = getBitmapPageDecoder().decode(account.data);
    const blank = { ...page, bitmap: new Uint8Array(page.bitmap.length) };
    return { ...account, data: Uint8Array.from(getBitmapPageEncoder().encode(blank)) };
  }
  if (account?.data[0] !== BATCH_KIND) return account;
  const batch = getBatchDecoder().decode(account.data);
  if (batch.phase !== BatchPhase.Open) return account;
  const blank = { ...batch, paidCount: 0, paidAmount: 0n };
  return { ...account, data: Uint8Array.from(getBatchEncoder().encode(blank)) };
}

/** Blocks by which a hasty coordinator believes the base ledger to be further than it is. */
const HASTE = 140n;

export const BUGS = {
  'double-send': { about: 'a stage signs anew without a look at what was sent before', forgetsSent: true },
  'sent-unstored': { about: 'a stage sends what was not stored', runStore: late },
  'confirmed-is-final': {
    about: 'a run counts what is confirmed as final',
    base: (base) => ({ ...base, accounts: (addresses) => base.accounts(addresses, 'confirmed') }),
  },
  'early-expiry': {
    about: 'a transaction counts as expired while it can still land',
    base: (base) => ({ ...base, blockHeight: async () => (await base.blockHeight()) + HASTE }),
  },
  'blind-claims': {
    about: 'claims are sent without a look at who is paid, to a layer that has forgotten it',
    layer: (layer) => ({
      ...layer,
      async accounts(addresses) {
        const { slot, accounts } = await layer.accounts(addresses);
        return { slot, accounts: accounts.map((account) => unpaid(account)) };
      },
    }),
    beforeClaim: unpaid,
  },
  'trusted-backup': {
    about: 'places are given as a restored backup has them, whoever has come into them since',
    balanceStore: (store) => ({ ...store, isBehind: async () => false, adoptPages: async () => {} }),
  },
} as const satisfies Record<string, Bug>;

export type BugName = keyof typeof BUGS;
