import { BALANCE_PAGE_KIND, HASH_BYTES, PAGE_HEAD_BYTES, SLOT_BYTES } from '@payouts/client';
import type { Address } from '@solana/kit';
import { type ExecutionLayer, readAccounts } from '../ledger/ledger.ts';
import { groupedBy } from '../platform/groupedBy.ts';
import type { ObservedPersonal } from './personal.ts';

/** What of balances nothing waits for, base units, by the address of the personal account. */
export async function availableOf(
  { layer, program }: { readonly layer: ExecutionLayer; readonly program: Address },
  personal: readonly ObservedPersonal[],
): Promise<ReadonlyMap<Address, bigint>> {
  const byPage = groupedBy(personal, ({ page }) => page);
  const available = new Map<Address, bigint>();
  await readAccounts(layer, [...byPage.keys()], (page, account) => {
    if (account?.owner !== program || account.data[0] !== BALANCE_PAGE_KIND) return;
    const view = new DataView(account.data.buffer, account.data.byteOffset);
    for (const { address, slot, waiting } of byPage.get(page) ?? []) {
      const amount = view.getBigUint64(PAGE_HEAD_BYTES + slot * SLOT_BYTES + HASH_BYTES, true);
      available.set(address, amount > waiting ? amount - waiting : 0n);
    }
  });
  return available;
}
