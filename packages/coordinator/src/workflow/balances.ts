import { isBitSet } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { PayableRecipient } from '../domain/recipient.ts';
import type { LedgerAccount } from '../ledger/ledger.ts';
import { forEachLimited } from './concurrency.ts';
import type { StageContext } from './context.ts';

/** Accounts in one reading, and readings at a time. */
const CHUNK = 100;
const READS_AT_A_TIME = 4;

/** Items in groups of a size, the last one smaller. */
export function* chunksOf<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/** Reads balances' accounts, or others, in the execution layer. */
export async function readBalances(
  { layer }: Pick<StageContext, 'layer'>,
  addresses: readonly Address[],
  onAccount: (address: Address, account: LedgerAccount | null) => void,
): Promise<void> {
  await forEachLimited(chunksOf(addresses, CHUNK), READS_AT_A_TIME, async (chunk) => {
    const { accounts } = await layer.accounts(chunk);
    for (const [place, address] of chunk.entries()) onAccount(address, accounts[place] ?? null);
  });
}

/**
 * The balances that exist in the execution layer: those the store knows, and of the others those that the layer shows. Where it
 * shows none of the first hundred, the list is taken for a new one: the layer looks up and follows each address it is asked for,
 * which costs more than a balance taken for new that is not (its transaction is only smaller than it could be).
 */
export async function findKnownBalances(
  context: StageContext,
  recipients: readonly PayableRecipient[],
  knownBits: Uint8Array,
): Promise<Set<Address>> {
  const known = new Set<Address>();
  const unknown: Address[] = [];
  for (const { index, balance } of recipients) {
    if (isBitSet(knownBits, index)) known.add(balance);
    else unknown.push(balance);
  }
  let shown = 0;
  const take = (address: Address, account: LedgerAccount | null) => {
    if (account?.owner !== context.program) return;
    known.add(address);
    shown += 1;
  };
  await readBalances(context, unknown.slice(0, CHUNK), take);
  if (shown > 0) await readBalances(context, unknown.slice(CHUNK), take);
  return known;
}
