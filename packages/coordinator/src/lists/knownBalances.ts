import { type Batch, isBitSet } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { ExecutionLayer, LedgerAccount } from '../ledger/ledger.ts';
import { forEachLimited } from '../platform/concurrency.ts';
import type { ListRow } from '../store/queries/lists.ts';
import type { PayableList } from './payableList.ts';

/** Accounts in one reading, and readings at a time. */
const CHUNK = 100;
const READS_AT_A_TIME = 4;
/** Balances whose addresses are written between two turns of the event loop: some milliseconds. */
const LOOKED_UP_AT_ONCE = 4_096;
/** Balances by which a new list is told from one whose balances are only not known here. */
const TRIED_FIRST = 20;

/** Items in groups of a size, the last one smaller. */
export function* chunksOf<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/** Reads balances' accounts, or others, in the execution layer. */
export async function readBalances(
  { layer }: { readonly layer: ExecutionLayer },
  addresses: readonly Address[],
  onAccount: (address: Address, account: LedgerAccount | null) => void,
): Promise<void> {
  await forEachLimited(chunksOf(addresses, CHUNK), READS_AT_A_TIME, async (chunk) => {
    const { accounts } = await layer.accounts(chunk);
    for (const [place, address] of chunk.entries()) onAccount(address, accounts[place] ?? null);
  });
}

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
    await readBalances(context, [...indexOf.keys()], (address, account) => {
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
