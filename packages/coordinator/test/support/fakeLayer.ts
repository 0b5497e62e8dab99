import type { Address } from '@solana/kit';
import type { ExecutionLayer, LedgerAccount, MemcmpFilter } from '../../src/ledger/ledger.ts';

/** Whether an account holds what filters say. */
export const holds = ({ data }: LedgerAccount, filters: readonly MemcmpFilter[]): boolean =>
  filters.every(({ at, bytes }) => bytes.every((byte, place) => data[at + place] === byte));

/** A layer that shows accounts, and takes nothing. */
export function layerShowing(accounts: () => readonly LedgerAccount[]): ExecutionLayer {
  const refuse = () => Promise.reject(new Error('not needed'));
  return {
    name: 'layer',
    accounts: async (addresses: readonly Address[]) => {
      const shown = new Map(accounts().map((account) => [account.address, account]));
      return { slot: 1n, accounts: addresses.map((address) => shown.get(address) ?? null) };
    },
    programAccounts: async (_: Address, filters: readonly MemcmpFilter[]) =>
      accounts().filter((account) => holds(account, filters)),
    lifetime: refuse,
    blockHeight: refuse,
    statuses: refuse,
    send: refuse,
  };
}
