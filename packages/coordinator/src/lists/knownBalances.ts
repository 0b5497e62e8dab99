import { type Batch, isBitSet } from '@payouts/client';
import type { Address } from '@solana/kit';
import { type ExecutionLayer, readAccounts } from '../ledger/ledger.ts';
import { chunksOf } from '../platform/concurrency.ts';
import type { ListRow } from '../store/queries/lists.ts';
import type { PayableList } from './payableList.ts';

/** Balances whose addresses are written between two turns of the event loop: some milliseconds. */
const LOOKED_UP_AT_ONCE = 4_096;
/** Balances by which a new list is told from one whose balances are only not known here. */
const TRIED_FIRST = 20;

/** Sets a bit of a bitmap. */
export function setBit(bits: Uint8Array, index: number): void {
  bits[index >> 3] = (bits[index >> 3] as number) | (1 << (index & 7));
}

/**
 * Whose balances exist in the execution layer, a bit for each index: those the store knows, and of the others who are not paid those
 * that the layer shows. Where it shows none of some twenty from all over the list, the list is taken for a new one: the layer looks
 * up and follows each address it is asked for, which costs more than a balance taken for new that is not (its transaction is only
 * smaller than it could be).
 */
export async function findKnownBalances(
  context: { readonly layer: ExecutionLayer; readonly program: Address },
  { batch, list, payees }: { readonly batch: Batch; readonly list: ListRow; readonly payees: PayableList },
): Promise<Uint8Array> {
  const known = Uint8Array.from(list.known_balances);
  const unknown: number[] = [];
  for (let index = 0; index < payees.count; index++) {
    if (!isBitSet(known, index) && !isBitSet(batch.bitmap, index)) unknown.push(index);
  }
  const look = async (indexes: readonly number[]): Promise<boolean> => {
    let isShown = false;
    const indexOf = new Map(indexes.map((index) => [payees.balanceAt(index), index]));
    await readAccounts(context.layer, [...indexOf.keys()], (address, account) => {
      if (account?.owner !== context.program) return;
      setBit(known, indexOf.get(address) as number);
      isShown = true;
    });
    return isShown;
  };
  const every = Math.ceil(unknown.length / TRIED_FIRST);
  if (await look(unknown.filter((_, place) => place % every === 0))) {
    const others = unknown.filter((_, place) => place % every !== 0);
    for (const some of chunksOf(others, LOOKED_UP_AT_ONCE)) await look(some);
  }
  return known;
}
