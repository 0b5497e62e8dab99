import type { Address } from '@solana/kit';

/** The base ledger's limit on a transaction's bytes. */
const MOST_BYTES = 1_232;
/**
 * A legacy transaction: a signature with its count 65, the header 3, counts 2, the blockhash 32, the compute limit's instruction 8, that
 * of its price 12, and eight keys of 32: authority, config, pool, its token account, mint, token program, this program, the compute budget's. The
 * settlement's: program 1, accounts 1 + 6, data 2 + 115.
 */
const COMMON_BYTES = 65 + 3 + 2 + 32 + 8 + 12 + 8 * 32 + 125;
/** A window's: its number 8, accounts 4, and the keys of schedule and batch. */
const WINDOW_BYTES = 12 + 2 * 32;
/** The keys of a vault and its token account. */
const VAULT_BYTES = 2 * 32;

/** Windows that one transaction settles each, as many as fit: eight of one vault, five of several. */
export function packIntoTransactions<T extends { readonly vault: Address }>(windows: readonly T[]): T[][] {
  const groups: T[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  let vaults = new Set<Address>();
  const isLess = (a: T, b: T) => (a.vault < b.vault ? -1 : Number(a.vault > b.vault));
  for (const window of windows.toSorted(isLess)) {
    bytes += WINDOW_BYTES + (vaults.has(window.vault) ? 0 : VAULT_BYTES);
    if (bytes > MOST_BYTES) {
      groups.push([]);
      vaults = new Set();
      bytes = COMMON_BYTES + WINDOW_BYTES + VAULT_BYTES;
    }
    groups.at(-1)?.push(window);
    vaults.add(window.vault);
  }
  return groups;
}
